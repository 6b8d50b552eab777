//! The messages between a program in a jail and the gateway: a byte for the kind, the length as four
//! bytes, and the content.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The version of the messages. Both sides are the same program, unless it was replaced during a
/// session.
pub const VERSION: u32 = 1;

/// The limit of the content of a message, in bytes.
pub const MAX_CONTENT: usize = 8 * 1024 * 1024;

/// A command line that a program in a jail hands over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub version: u32,
    /// The secret of the address. Empty if the address is reachable only from the jail.
    pub token: String,
    /// The random name of the call, by which a caller whose connection was cut asks again. Empty for
    /// a caller that does not.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// `gt` or `bd`.
    pub program: String,
    /// The arguments, without the name of the program.
    pub args: Vec<String>,
    /// The names of the command and its subcommands, as far as the caller understands them.
    pub path: Vec<String>,
    /// The files that arguments name. Their contents are sent when they are asked for, one message
    /// for each.
    pub files: Vec<CallFile>,
    /// Variables about the caller's terminal.
    pub display: Vec<(String, String)>,
}

/// A file that an argument of a call names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallFile {
    /// The index of the argument.
    pub argument: usize,
    /// The byte of the argument at which the path begins.
    pub start: usize,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    Call(Call),
    /// The content of a file; `None` if the file does not exist.
    File(Option<Vec<u8>>),
    /// A part of the standard input. An empty one ends it.
    Input(Vec<u8>),
    /// The command runs where it was called.
    RunHere,
    /// The command runs outside, and the files of the call are sent now.
    WantFiles,
    Output(Vec<u8>),
    Errors(Vec<u8>),
    /// The command reads its standard input.
    WantInput,
    /// The new content of a file of the call.
    Written {
        file: u32,
        content: Vec<u8>,
    },
    Exit(u8),
    /// The gateway cannot run the command, for this reason.
    Failed(String),
}

#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side has closed the connection.
    #[error("the connection ended")]
    Ended,
    #[error("a message of {length} bytes is larger than {MAX_CONTENT}")]
    TooLarge { length: usize },
    #[error("a message is not understood")]
    Unknown,
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Frame {
    pub fn write(&self, to: &mut impl Write) -> Result<(), FrameError> {
        let (kind, content) = self.encode()?;
        if content.len() > MAX_CONTENT {
            let length = content.len();
            return Err(FrameError::TooLarge { length });
        }
        // Proven by the limit, which is far below `u32::MAX`.
        let length = u32::try_from(content.len()).map_err(|_| FrameError::Unknown)?;
        let mut message = Vec::with_capacity(content.len() + 5);
        message.push(kind);
        message.extend(length.to_be_bytes());
        message.extend(content);
        to.write_all(&message)?;
        Ok(to.flush()?)
    }

    pub fn read(from: &mut impl Read) -> Result<Self, FrameError> {
        let mut kind = [0];
        if from.read(&mut kind)? == 0 {
            return Err(FrameError::Ended);
        }
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        if length > MAX_CONTENT {
            return Err(FrameError::TooLarge { length });
        }
        let mut content = Vec::new();
        let taken = u64::try_from(length).unwrap_or(u64::MAX);
        from.take(taken).read_to_end(&mut content)?;
        if content.len() < length {
            return Err(FrameError::Ended);
        }
        Self::decode(kind[0], content)
    }

    fn encode(&self) -> Result<(u8, Vec<u8>), FrameError> {
        Ok(match self {
            Self::Call(call) => (b'c', serde_json::to_vec(call)?),
            Self::File(Some(content)) => (b'f', content.clone()),
            Self::File(None) => (b'n', Vec::new()),
            Self::Input(content) => (b'i', content.clone()),
            Self::RunHere => (b'h', Vec::new()),
            Self::WantFiles => (b'q', Vec::new()),
            Self::Output(content) => (b'o', content.clone()),
            Self::Errors(content) => (b'e', content.clone()),
            Self::WantInput => (b'w', Vec::new()),
            Self::Written { file, content } => (b'b', [&file.to_be_bytes()[..], content].concat()),
            Self::Exit(code) => (b'x', vec![*code]),
            Self::Failed(reason) => (b'r', reason.clone().into_bytes()),
        })
    }

    fn decode(kind: u8, content: Vec<u8>) -> Result<Self, FrameError> {
        Ok(match (kind, content.as_slice()) {
            (b'c', json) => Self::Call(serde_json::from_slice(json)?),
            (b'f', _) => Self::File(Some(content)),
            (b'n', []) => Self::File(None),
            (b'i', _) => Self::Input(content),
            (b'h', []) => Self::RunHere,
            (b'q', []) => Self::WantFiles,
            (b'o', _) => Self::Output(content),
            (b'e', _) => Self::Errors(content),
            (b'w', []) => Self::WantInput,
            (b'b', [a, b, c, d, rest @ ..]) => Self::Written {
                file: u32::from_be_bytes([*a, *b, *c, *d]),
                content: rest.to_vec(),
            },
            (b'x', [code]) => Self::Exit(*code),
            (b'r', reason) => Self::Failed(String::from_utf8_lossy(reason).into_owned()),
            _ => return Err(FrameError::Unknown),
        })
    }
}

/// The address of a gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GatewayAddress {
    /// A socket that only one jail contains.
    Socket(PathBuf),
    /// A port of the loopback, for jails that hide no socket, with the secret that callers send.
    Port { port: u16, token: String },
    /// A socket of a box, whose connection to the town may be cut for a while.
    Far(PathBuf),
}

impl GatewayAddress {
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Some(Self::Socket(PathBuf::from(path)));
        }
        if let Some(path) = text.strip_prefix("far:") {
            return Some(Self::Far(PathBuf::from(path)));
        }
        let (port, token) = text.strip_prefix("tcp:")?.split_once(':')?;
        Some(Self::Port {
            port: port.parse().ok()?,
            token: token.to_owned(),
        })
    }
}

impl fmt::Display for GatewayAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
            Self::Port { port, token } => write!(f, "tcp:{port}:{token}"),
            Self::Far(path) => write!(f, "far:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_frame() -> impl Strategy<Value = Frame> {
        let content = proptest::collection::vec(any::<u8>(), 0..200);
        prop_oneof![
            proptest::option::of(content.clone()).prop_map(Frame::File),
            content.clone().prop_map(Frame::Input),
            content.clone().prop_map(Frame::Output),
            content.clone().prop_map(Frame::Errors),
            (any::<u32>(), content).prop_map(|(file, content)| Frame::Written { file, content }),
            any::<u8>().prop_map(Frame::Exit),
            ".*".prop_map(Frame::Failed),
            Just(Frame::RunHere),
            Just(Frame::WantFiles),
            Just(Frame::WantInput),
            ("[a-z]*", proptest::collection::vec(".*", 0..4)).prop_map(|(program, args)| {
                Frame::Call(Call {
                    version: VERSION,
                    token: String::new(),
                    id: String::new(),
                    program,
                    path: args.clone(),
                    args,
                    files: vec![CallFile {
                        argument: 1,
                        start: 7,
                    }],
                    display: vec![("COLUMNS".to_owned(), "80".to_owned())],
                })
            }),
        ]
    }

    proptest! {
        #[test]
        fn messages_arrive_as_they_were_sent(frames in proptest::collection::vec(any_frame(), 0..8)) {
            let mut stream = Vec::new();
            for frame in &frames {
                frame.write(&mut stream).unwrap();
            }
            let mut rest = stream.as_slice();
            for frame in &frames {
                prop_assert_eq!(&Frame::read(&mut rest).unwrap(), frame);
            }
            prop_assert!(matches!(Frame::read(&mut rest), Err(FrameError::Ended)));
        }

        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut rest = bytes.as_slice();
            while Frame::read(&mut rest).is_ok() {}
        }
    }

    #[test]
    fn a_message_that_is_too_large_is_refused_before_it_is_read() {
        let mut stream = vec![b'o'];
        stream.extend(u32::MAX.to_be_bytes());
        let read = Frame::read(&mut stream.as_slice());
        assert!(matches!(read, Err(FrameError::TooLarge { .. })));
        let content = vec![0; MAX_CONTENT + 1];
        assert!(Frame::Output(content).write(&mut Vec::new()).is_err());
    }

    #[test]
    fn an_address_is_parsed_as_it_is_written() {
        let port = GatewayAddress::Port {
            port: 4711,
            token: "ab12".to_owned(),
        };
        let path = PathBuf::from("/run/x:y");
        for address in [
            port,
            GatewayAddress::Socket(path.clone()),
            GatewayAddress::Far(path),
        ] {
            assert_eq!(GatewayAddress::parse(&address.to_string()), Some(address));
        }
        for text in ["", "tcp:x:y", "tcp:1", "/run/gateway", "tcp:70000:t"] {
            assert_eq!(GatewayAddress::parse(text), None, "{text}");
        }
    }
}
