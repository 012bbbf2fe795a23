//! A receiver of messages, made by hand: it listens on the loopback, keeps what comes, and answers as it is told to.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver as Taken, Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// How a receiver answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// It takes everything.
    Ok,
    /// It answers with a code.
    Status(u16),
    /// It takes the call and says nothing.
    Silence,
    /// It says what is no HTTP.
    Nonsense,
    /// It is not there.
    Nobody,
}

/// A receiver.
pub(super) struct Receiver {
    address: SocketAddr,
    bodies: Taken<Vec<u8>>,
    last: Arc<Mutex<String>>,
    /// Calls that are kept open: whoever is called waits until this is dropped.
    _open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Receiver {
    /// Starts one on a free port. Its thread ends with the process.
    pub(super) fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (give, bodies) = channel();
        let (last, open) = (Arc::default(), Arc::default());
        let receiver = Self { address, bodies, last: Arc::clone(&last), _open: Arc::clone(&open) };
        // Where nobody listens the port is free again.
        if answer != Answer::Nobody {
            std::thread::spawn(move || {
                for stream in listener.incoming().map_while(Result::ok) {
                    serve(stream, answer, &give, &last, &open);
                }
            });
        }
        receiver
    }

    /// Its address.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What has come since the last look. A call is answered after it was kept, so nothing is on its way.
    pub(super) fn take(&self) -> Vec<Value> {
        self.bodies.try_iter().map(|body| serde_json::from_slice(&body).unwrap()).collect()
    }

    /// The head of the last call.
    pub(super) fn last_request(&self) -> String {
        self.last.lock().unwrap().clone()
    }
}

fn serve(
    stream: TcpStream,
    answer: Answer,
    give: &Sender<Vec<u8>>,
    last: &Mutex<String>,
    open: &Mutex<Vec<TcpStream>>,
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let mut body = vec![0; length.unwrap_or(0)];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    *last.lock().unwrap() = head;
    let mut stream = stream;
    let said = match answer {
        Answer::Ok => {
            give.send(body).ok();
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned()
        }
        Answer::Status(code) => {
            format!(
                "HTTP/1.1 {code} No\r\nLocation: /elsewhere\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
            )
        }
        Answer::Nonsense => "what?\r\n\r\n".to_owned(),
        Answer::Silence | Answer::Nobody => {
            open.lock().unwrap().push(stream);
            return;
        }
    };
    stream.write_all(said.as_bytes()).ok();
}
