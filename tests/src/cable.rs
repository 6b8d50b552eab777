//! A network connection that a test can cut.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Forwards connections to a port of this machine, unless it is cut.
pub struct Cable {
    port: u16,
    state: Arc<Mutex<CableState>>,
}

#[derive(Default)]
struct CableState {
    is_cut: bool,
    open: Vec<TcpStream>,
}

impl Cable {
    /// Leads to a port.
    pub fn to(target: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(Mutex::new(CableState::default()));
        let shared = Arc::clone(&state);
        // Ends with the test.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let mut state = shared.lock().unwrap();
                if state.is_cut {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else {
                    continue;
                };
                forward(&client, &server);
                forward(&server, &client);
                state.open.extend([client, server]);
            }
        });
        Self { port, state }
    }

    /// The port that leads to the target.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends all connections and refuses new ones.
    pub fn cut(&self) {
        let mut state = self.state.lock().unwrap();
        state.is_cut = true;
        for stream in state.open.drain(..) {
            stream.shutdown(Shutdown::Both).ok();
        }
    }

    /// Accepts connections again.
    pub fn mend(&self) {
        self.state.lock().unwrap().is_cut = false;
    }
}

/// Copies from one end to the other until either is closed.
fn forward(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    thread::spawn(move || {
        io::copy(&mut from, &mut to).ok();
        to.shutdown(Shutdown::Write).ok();
    });
}
