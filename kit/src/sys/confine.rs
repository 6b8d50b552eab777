//! Starts child processes that can reach only part of the machine: a thread restricts itself with
//! Landlock and with a filter of system calls, and the child that it starts inherits both.
//!
//! Nothing lifts a restriction again, also not for the children of the child. The rest of this
//! process is not restricted. Only Linux has both mechanisms.
//!
//! A child of [`ProcessGroups::One`] cannot leave its process group, so that nothing of it survives the
//! end of the group. The filter cannot tell the first call that enters a group from a later one,
//! so the group is made by a process that is started before.

#![expect(
    clippy::disallowed_methods,
    reason = "children are started here on behalf of the owner of child processes"
)]

use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

/// The restrictions of a child.
#[derive(Debug, Clone, Default)]
pub struct Confinement {
    /// The files that the child reaches. None restricts no files and keeps the capabilities, for a
    /// program that builds a jail of its own with them.
    pub files: Option<ReachableFiles>,
    pub sockets: SocketFamilies,
    /// The ports to which TCP connections can be made, of any address. None allows all.
    pub ports: Option<Vec<u16>>,
    pub groups: ProcessGroups,
}

/// The process groups that a child can make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ProcessGroups {
    /// Any, and sessions: for a child that a process namespace ends, or one at a terminal, whose
    /// shells make groups.
    #[default]
    Any,
    /// The child and all that it starts stay in one group.
    One,
}

/// All files that a child can open. It can see the names and sizes of others, and change the mode
/// of those that it owns.
#[derive(Debug, Clone, Default)]
pub struct ReachableFiles {
    /// Files and folders that the child may read and execute. Missing ones are left out.
    pub readable: Vec<PathBuf>,
    /// Files and folders that the child may also change. Device files cannot be created there.
    pub writable: Vec<PathBuf>,
}

/// The kinds of sockets that a child can create. A connected pair is always possible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SocketFamilies {
    /// Internet and unix sockets: for a child in network and mount namespaces of its own.
    #[default]
    InternetAndUnix,
    /// Internet only. Landlock cannot say which unix sockets may be reached.
    Internet,
    /// TCP only.
    Tcp,
    None,
}

/// The thread that started a confined child. A child may ask to die with it, so it must be kept
/// until the child has ended.
#[derive(Debug)]
pub(super) struct SpawnerThread {
    /// Dropping it ends the thread.
    release: Option<mpsc::Sender<()>>,
    /// The process that made the group of the child, if the child did not make it itself. The
    /// number of the group stays taken until this process is reaped.
    group: Option<Child>,
}

impl SpawnerThread {
    /// The process group of the child, if it is not the number of the child.
    pub(super) fn group(&self) -> Option<u32> {
        self.group.as_ref().map(Child::id)
    }
}

impl Drop for SpawnerThread {
    fn drop(&mut self) {
        self.release.take();
        if let Some(mut group) = self.group.take() {
            // It ended long ago. An error leaves an entry of an ended process behind.
            group.wait().ok();
        }
    }
}

impl Confinement {
    /// Starts a child with these restrictions. Fails if the system cannot enforce them.
    pub(super) fn spawn(&self, mut command: Command) -> io::Result<(Child, SpawnerThread)> {
        let confinement = self.clone();
        let (report, started) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let mut spawner = SpawnerThread {
            release: Some(release),
            group: None,
        };
        if self.groups == ProcessGroups::One {
            let group = start_group()?;
            command.process_group(i32::try_from(group.id()).map_err(io::Error::other)?);
            spawner.group = Some(group);
        }
        let group = spawner.group();
        thread::Builder::new().spawn(move || {
            let child = confinement
                .restrict_thread(group)
                .and_then(|()| command.spawn());
            // An error means that the receiver is gone, or that the sender was dropped, as planned.
            report.send(child).ok();
            released.recv().ok();
        })?;
        let child = started
            .recv()
            .map_err(|_| io::Error::other("the thread that starts the child ended"))??;
        Ok((child, spawner))
    }

    /// Runs a function with these restrictions, in a thread of its own.
    pub fn run<T: Send>(&self, function: impl FnOnce() -> T + Send) -> io::Result<T> {
        thread::scope(|scope| {
            let restricted = scope.spawn(|| self.restrict_thread(None).map(|()| function()));
            match restricted.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    #[cfg(target_os = "linux")]
    fn restrict_thread(&self, group: Option<u32>) -> io::Result<()> {
        linux::restrict_thread(self, group)
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "Linux needs it")]
    fn restrict_thread(&self, _group: Option<u32>) -> io::Result<()> {
        Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "only Linux can confine a program",
        ))
    }
}

/// Starts a process that only makes a group and ends. It is not reaped.
fn start_group() -> io::Result<Child> {
    Command::new("true")
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::io;
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, PathBeneath,
        PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
    };
    use rustix::thread::{CapabilitySet, CapabilitySets};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    use super::{Confinement, ProcessGroups, ReachableFiles, SocketFamilies};

    /// The devices that every program may use.
    const DEVICES: [&str; 5] = [
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/random",
        "/dev/urandom",
    ];

    /// The part of a socket's type that is no flag.
    const SOCKET_TYPE_MASK: u64 = 0xf;

    /// The bit that marks a system call of the x32 interface. The kernel runs it like the plain one.
    #[cfg(target_arch = "x86_64")]
    const X32_CALL: i64 = 0x4000_0000;

    /// Restricts the calling thread. `group` is the only process group that a child enters.
    pub(super) fn restrict_thread(confinement: &Confinement, group: Option<u32>) -> io::Result<()> {
        let mut refused = refused_calls(confinement.sockets)?;
        if confinement.groups == ProcessGroups::One {
            refused.extend(calls_that_leave_the_group(group)?);
        }
        let filter = build_filter(refused)?;
        restrict_with_landlock(confinement.files.as_ref(), confinement.ports.as_deref())?;
        seccompiler::apply_filter(&filter).map_err(io::Error::other)
    }

    /// Restricts files, signals, abstract unix sockets and TCP connections. Without files the
    /// restriction is left out if the kernel does not have it.
    fn restrict_with_landlock(
        files: Option<&ReachableFiles>,
        ports: Option<&[u16]>,
    ) -> io::Result<()> {
        let scope = Scope::from_all(ABI::V6);
        let Some(files) = files else {
            let ruleset = Ruleset::default().scope(scope).map_err(io::Error::other)?;
            let created = ruleset.create().map_err(io::Error::other)?;
            created.restrict_self().map_err(io::Error::other)?;
            return Ok(());
        };
        let all = AccessFs::from_all(ABI::V5);
        let read = AccessFs::from_read(ABI::V5);
        let write = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
        let mut handled = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(all)
            .map_err(io::Error::other)?
            .scope(scope)
            .map_err(io::Error::other)?;
        if ports.is_some() {
            handled = handled
                .handle_access(AccessNet::ConnectTcp)
                .map_err(io::Error::other)?;
        }
        let mut ruleset = handled.create().map_err(io::Error::other)?;
        for port in ports.into_iter().flatten() {
            let rule = NetPort::new(*port, AccessNet::ConnectTcp);
            ruleset = ruleset.add_rule(rule).map_err(io::Error::other)?;
        }
        let readable = files.readable.iter().map(|path| (path.as_path(), read));
        let writable = files.writable.iter().map(|path| (path.as_path(), write));
        let devices = DEVICES
            .iter()
            .map(|path| (Path::new(*path), AccessFs::ReadFile | AccessFs::WriteFile));
        for (path, access) in readable.chain(writable).chain(devices) {
            let Some(rule) = build_rule(path, access)? else {
                continue;
            };
            ruleset = ruleset.add_rule(rule).map_err(io::Error::other)?;
        }
        drop_capabilities()?;
        let status = ruleset.restrict_self().map_err(io::Error::other)?;
        if status.ruleset != RulesetStatus::FullyEnforced || !status.no_new_privs {
            return Err(io::Error::other("the kernel enforces only a part of it"));
        }
        Ok(())
    }

    /// Returns the rule for a path; `None` if it does not exist.
    fn build_rule(
        path: &Path,
        access: BitFlags<AccessFs>,
    ) -> io::Result<Option<PathBeneath<PathFd>>> {
        let is_folder = match path.metadata() {
            Ok(found) => found.is_dir(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let place = PathFd::new(path).map_err(io::Error::other)?;
        let access = if is_folder {
            access
        } else {
            access & AccessFs::from_file(ABI::V5)
        };
        Ok(Some(PathBeneath::new(place, access)))
    }

    /// Gives up the rights of root, which reach around files: devices, modules, other users' files.
    fn drop_capabilities() -> io::Result<()> {
        // A process without the right to shorten the set has no capabilities that it could pass on.
        for capability in CapabilitySet::all().iter() {
            rustix::thread::remove_capability_from_bounding_set(capability).ok();
        }
        let none = CapabilitySets {
            effective: CapabilitySet::empty(),
            permitted: CapabilitySet::empty(),
            inheritable: CapabilitySet::empty(),
        };
        Ok(rustix::thread::set_capabilities(None, none)?)
    }

    /// A system call, with the rules of which one must apply. Without rules it is always refused.
    type RefusedCall = (i64, Vec<SeccompRule>);

    fn refused_calls(sockets: SocketFamilies) -> io::Result<Vec<RefusedCall>> {
        let families: &[i32] = match sockets {
            SocketFamilies::InternetAndUnix => &[
                libc::AF_UNIX,
                libc::AF_INET,
                libc::AF_INET6,
                libc::AF_NETLINK,
            ],
            SocketFamilies::Internet | SocketFamilies::Tcp => {
                &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
            }
            SocketFamilies::None => &[libc::AF_NETLINK],
        };
        let is_other_family = families
            .iter()
            .map(|family| compare(0, SeccompCmpOp::Ne, i64::from(*family)))
            .collect::<io::Result<Vec<_>>>()?;
        let types_into_terminal = |request| rule(vec![compare(1, SeccompCmpOp::Eq, request)?]);
        let mut refused_sockets = vec![rule(is_other_family)?];
        let mut refused = Vec::new();
        if sockets == SocketFamilies::Tcp {
            refused_sockets.extend(other_protocols()?);
            refused.extend(calls_that_connect_while_sending()?);
        }
        refused.extend([
            (libc::SYS_socket, refused_sockets),
            (
                libc::SYS_ioctl,
                vec![
                    types_into_terminal(0x5412)?, // TIOCSTI
                    types_into_terminal(0x541C)?, // TIOCLINUX
                ],
            ),
            // Its requests create and connect sockets without the calls above.
            (libc::SYS_io_uring_setup, vec![]),
            // The keys of the user's session.
            (libc::SYS_keyctl, vec![]),
            (libc::SYS_add_key, vec![]),
            (libc::SYS_request_key, vec![]),
        ]);
        Ok(refused)
    }

    /// Returns the rules for internet sockets other than those of TCP. Landlock restricts no other
    /// protocol, not even MPTCP, which is a kind of stream, too.
    fn other_protocols() -> io::Result<Vec<SeccompRule>> {
        let stream = u64::try_from(libc::SOCK_STREAM).map_err(io::Error::other)?;
        let mut rules = Vec::new();
        for family in [libc::AF_INET, libc::AF_INET6] {
            let is_family = || compare(0, SeccompCmpOp::Eq, i64::from(family));
            // The upper bits are flags.
            for kind in (0..=SOCKET_TYPE_MASK).filter(|kind| *kind != stream) {
                let is_kind = SeccompCmpOp::MaskedEq(SOCKET_TYPE_MASK);
                let kind = i64::try_from(kind).map_err(io::Error::other)?;
                rules.push(rule(vec![is_family()?, compare(1, is_kind, kind)?])?);
            }
            rules.push(rule(vec![
                is_family()?,
                compare(2, SeccompCmpOp::Ne, 0)?,
                compare(2, SeccompCmpOp::Ne, i64::from(libc::IPPROTO_TCP))?,
            ])?);
        }
        Ok(rules)
    }

    /// Returns the calls by which TCP Fast Open connects past Landlock.
    fn calls_that_connect_while_sending() -> io::Result<Vec<RefusedCall>> {
        let fast_open = u64::try_from(libc::MSG_FASTOPEN).map_err(io::Error::other)?;
        [
            (libc::SYS_sendto, 3),
            (libc::SYS_sendmsg, 2),
            (libc::SYS_sendmmsg, 3),
        ]
        .into_iter()
        .map(|(call, flags)| {
            let operator = SeccompCmpOp::MaskedEq(fast_open);
            let connects = compare(flags, operator, i64::from(libc::MSG_FASTOPEN))?;
            Ok((call, vec![rule(vec![connects])?]))
        })
        .collect()
    }

    fn calls_that_leave_the_group(group: Option<u32>) -> io::Result<Vec<RefusedCall>> {
        let to_other_group = match group {
            Some(group) => vec![rule(vec![compare(1, SeccompCmpOp::Ne, i64::from(group))?])?],
            None => vec![],
        };
        Ok(vec![
            (libc::SYS_setsid, vec![]),
            (libc::SYS_setpgid, to_other_group),
        ])
    }

    /// Builds the filter of system calls. A refused call fails with EPERM.
    fn build_filter(refused: Vec<RefusedCall>) -> io::Result<BpfProgram> {
        let mut rules = BTreeMap::new();
        for (call, conditions) in refused {
            #[cfg(target_arch = "x86_64")]
            rules.insert(call | X32_CALL, conditions.clone());
            rules.insert(call, conditions);
        }
        let permission_denied = u32::try_from(libc::EPERM).map_err(io::Error::other)?;
        let arch = std::env::consts::ARCH
            .try_into()
            .map_err(io::Error::other)?;
        let filter = SeccompFilter::new(
            rules,
            SeccompAction::Allow,
            SeccompAction::Errno(permission_denied),
            arch,
        );
        filter
            .map_err(io::Error::other)?
            .try_into()
            .map_err(io::Error::other)
    }

    fn rule(conditions: Vec<SeccompCondition>) -> io::Result<SeccompRule> {
        SeccompRule::new(conditions).map_err(io::Error::other)
    }

    /// Compares the lower half of an argument, as the kernel does for these calls.
    fn compare(argument: u8, operator: SeccompCmpOp, value: i64) -> io::Result<SeccompCondition> {
        let value = u64::try_from(value).map_err(io::Error::other)?;
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
            .map_err(io::Error::other)
    }
}
