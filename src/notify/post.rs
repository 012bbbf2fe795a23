//! Writing to the network: an address, a token and a body in, done or why not out.
#![expect(clippy::disallowed_methods, reason = "an edge: secrets may stand in files")]

use std::path::Path;
use std::time::Duration;

use crate::model::outputs::{Address, Secret, Target};

/// Where secrets are found.
#[derive(Clone, Copy)]
pub struct Secrets<'s> {
    /// The folder from which paths are meant.
    pub root: &'s Path,
    /// The value of a variable of the environment.
    pub variable: fn(&str) -> Option<String>,
}

impl Secrets<'_> {
    /// A secret, or why there is none. Neither says what it is.
    fn find(self, secret: &Secret) -> Result<String, String> {
        let found = match secret {
            Secret::Variable(name) => (self.variable)(name).ok_or_else(|| format!("{secret} is not set")),
            Secret::File(path) => std::fs::read_to_string(self.root.join(path))
                .map_err(|error| format!("{secret} cannot be read: {}", error.kind())),
        }?;
        let found = found.trim();
        if found.is_empty() { Err(format!("{secret} is empty")) } else { Ok(found.to_owned()) }
    }
}

/// Sends a body of JSON. An error says what went wrong in words of ours: an address or a token may be a secret.
pub(super) fn post(target: &Target, secrets: Secrets<'_>, body: &[u8]) -> Result<(), String> {
    let url = match &target.url {
        Address::Plain(url) => url.clone(),
        Address::Secret(secret) => secrets.find(secret)?,
    };
    let token = target.token.as_ref().map(|token| secrets.find(token)).transpose()?;
    let agent = ureq::Agent::config_builder()
        .timeout_global(Some(Duration::from_millis(target.timeout)))
        .max_redirects(0)
        .max_idle_connections(0)
        .proxy(None)
        .user_agent(concat!("edgewright/", env!("CARGO_PKG_VERSION")))
        .build()
        .new_agent();
    let mut request = agent.post(&url).header("Content-Type", "application/json");
    if let Some(token) = token {
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    match request.send(body) {
        Ok(answer) if answer.status().is_success() => Ok(()),
        Ok(answer) => Err(format!("it answered {}", answer.status().as_u16())),
        Err(error) => Err(in_our_words(&error, target.timeout)),
    }
}

fn in_our_words(error: &ureq::Error, timeout: u64) -> String {
    match error {
        ureq::Error::StatusCode(code) => format!("it answered {code}"),
        ureq::Error::Timeout(_) => format!("it did not answer within {timeout} ms"),
        ureq::Error::HostNotFound => "its host is not found".to_owned(),
        ureq::Error::Io(error) => format!("it cannot be reached: {}", error.kind()),
        ureq::Error::ConnectionFailed => "it cannot be reached".to_owned(),
        ureq::Error::BadUri(_) => "its address is none".to_owned(),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
            "its certificate or protocol is not accepted".to_owned()
        }
        ureq::Error::Http(_) => "its address or token has characters that cannot be sent".to_owned(),
        _ => "its answer is not HTTP".to_owned(),
    }
}
