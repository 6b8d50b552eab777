//! Runs sessions on other machines, through one pair of pipes for each.
//!
//! ```text
//! the town                                              the other machine
//! gt, gtd ─ socket ─→ gt host link ═ ssh, or a command ═ gt box serve ─→ tmux ─→ agent
//!                          ↑                                   ↑                    │
//!        gt --forwarded ←──┴── calls of agents ────────────────┴──── gt, bd ←───────┘
//! ```
//!
//! The link keeps the connection, and makes it again after a cut. A box needs no town, no daemon, no
//! open port and no access to the remote. Sessions on it live on while the connection is cut. Objects
//! of git travel as packs in both directions. Pushing, reading back and merging stay in the town.

mod box_sandbox;
mod box_server;
mod box_socket;
mod delivery;
mod engine;
mod far_host;
mod host_command;
mod host_set;
mod link_state;
mod pack;
mod paths;
mod pipe;
mod place;
pub(crate) mod protocol;
pub(crate) mod session_record;
mod settings;
mod splice;
mod transport;

pub(crate) use box_sandbox::restore_files;
pub use box_server::{BoxPlace, attach_command, serve_box};
pub(in crate::host) use box_server::{bind_socket, check_protocol};
pub use box_socket::{connect_to_box, listen_for_towns};
pub use engine::{EnginePlace, remove_engine_file, write_engine_file};
pub(crate) use far_host::LINK_LOCK;
pub use far_host::{FarHost, link_socket};
pub(in crate::host) use host_command::build_open_command;
pub use host_command::{build_ssh_pipe, quote_remote_path};
pub use host_set::HostSet;
pub use link_state::LinkState;
pub(crate) use link_state::{LinkRequest, SOCKET_FILE, read_link_state, state_file};
pub(crate) use pack::compute_digest;
pub use pack::{PackFolder, ReceivedPack, check_complete, is_object_id};
pub use paths::PathTranslation;
pub(crate) use paths::{Replacement, is_valid_root};
pub use pipe::{Heartbeat, Pipe, PipeEnds, PipeError, PipeSide};
pub(crate) use place::record_place_end;
pub use place::{
    check_place_name, find_place_end, host_of_place, left_place_name, load_place, object_name,
    place_name,
};
pub use protocol::{
    BoxRequest, CloneQuestion, CloneState, GivenSandbox, MemberHello, MemberWelcome, PackOffer,
    SandboxQuestion, SandboxState, TranscriptPart, TranscriptQuestion,
};
pub use session_record::{count_sessions, forget_sessions};
pub use settings::{
    ChosenEngine, HostSettings, HostTransport, Place, is_host_name, list_hosts, remove_host_file,
};
pub(crate) use splice::splice;
pub(in crate::host) use transport::Transport;
