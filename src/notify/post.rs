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

/// Why a message was not taken, in words of ours: an address or a token may be a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unsent {
    /// The receiver does not want this message: sending it again does not help.
    Refused(String),
    /// The receiver takes none now.
    Away(String),
}

impl Unsent {
    /// Why.
    pub(super) fn why(self) -> String {
        match self {
            Self::Refused(why) | Self::Away(why) => why,
        }
    }

    /// What an answer other than yes means. Of those that blame the sender some are not about the message: a token that
    /// has run out (401, 403, 407), a wrong address (404, 405, 410), and "later" (408, 425, 429) keep all that waits.
    fn answered(code: u16) -> Self {
        let why = format!("it answered {code}");
        let is_about_message = !matches!(code, 401 | 403..=405 | 407 | 408 | 410 | 425 | 429);
        if (400..500).contains(&code) && is_about_message { Self::Refused(why) } else { Self::Away(why) }
    }
}

/// Sends a body of JSON.
pub(super) fn post(target: &Target, secrets: Secrets<'_>, body: &[u8]) -> Result<(), Unsent> {
    let url = match &target.url {
        Address::Plain(url) => url.clone(),
        Address::Secret(secret) => secrets.find(secret).map_err(Unsent::Away)?,
    };
    let token = target.token.as_ref().map(|token| secrets.find(token)).transpose().map_err(Unsent::Away)?;
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
        Ok(answer) => Err(Unsent::answered(answer.status().as_u16())),
        Err(ureq::Error::StatusCode(code)) => Err(Unsent::answered(code)),
        Err(error) => Err(Unsent::Away(in_our_words(&error, target.timeout))),
    }
}

fn in_our_words(error: &ureq::Error, timeout: u64) -> String {
    match error {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_whether_the_message_or_the_way_to_the_receiver_is_wrong() {
        let refused = |code: &u16| matches!(Unsent::answered(*code), Unsent::Refused(_));
        let codes = [302, 400, 401, 403, 404, 405, 407, 408, 410, 413, 415, 422, 425, 429, 499, 500, 503];
        let refused: Vec<u16> = codes.into_iter().filter(refused).collect();
        assert_eq!(refused, [400, 413, 415, 422, 499]);
    }
}
