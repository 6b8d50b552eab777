//! Packs of git objects that travel between a town and a box.
//!
//! A pack is written to a file, so that its transfer goes on after a cut at the byte where it ended.
//! The receiver checks its digest, and git checks each object.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bd::git::Git;
use kit::sys::file;
use sha2::{Digest, Sha256};

use super::protocol::FarError;
use super::protocol::{PackOffer, PackPart, read_line, write_line};

/// The maximum size of a pack, in bytes.
const MAX_PACK: u64 = 2 << 30;

/// The time for which a pack that was not fetched is kept.
const PACK_LIFETIME: Duration = Duration::from_secs(6 * 3600);

/// The time for writing or reading a pack.
const PACK_TIMEOUT: Duration = Duration::from_secs(1800);

/// The folders of packs on one side.
#[derive(Debug, Clone)]
pub struct PackFolder(PathBuf);

impl PackFolder {
    pub fn new(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    fn outgoing(&self, digest: &str) -> PathBuf {
        self.0.join(format!("out-{digest}.pack"))
    }

    fn incoming(&self, digest: &str) -> PathBuf {
        self.0.join(format!("in-{digest}.pack"))
    }

    /// Removes the packs that nobody fetched to the end.
    fn remove_old(&self) -> io::Result<()> {
        file::create_folder(&self.0, 0o700)?;
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            // Another process may have renamed it.
            let Ok(meta) = fs::symlink_metadata(&path) else {
                continue;
            };
            let age = meta.modified()?.elapsed();
            if meta.is_file() && age.is_ok_and(|age| age > PACK_LIFETIME) {
                file::remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Writes a pack with the objects of `wanted` commits that are in none of the `known` ones.
    /// `None` if there are none.
    pub fn offer(
        &self,
        git: &Git,
        wanted: &[String],
        known: &[String],
    ) -> anyhow::Result<Option<PackOffer>> {
        self.remove_old()?;
        let known = keep_known(git, known)?;
        let mut revisions = wanted.join("\n");
        for commit in &known {
            revisions.push_str(&format!("\n^{commit}"));
        }
        revisions.push('\n');
        let work = tempfile::Builder::new()
            .prefix("pack-")
            .tempdir_in(&self.0)?;
        let call = git.plumbing(["pack-objects", "--revs", "--quiet", "--delta-base-offset"]);
        let written = call
            .args([work.path().join("new")])
            .stdin(revisions)
            .limit(PACK_TIMEOUT)
            .text()?;
        let Some(name) = written.lines().next() else {
            return Ok(None);
        };
        let path = work.path().join(format!("new-{name}.pack"));
        if count_objects(&path)? == 0 {
            return Ok(None);
        }
        let digest = compute_digest(&path)?;
        let size = fs::metadata(&path)?.len();
        fs::rename(&path, self.outgoing(&digest))?;
        Ok(Some(PackOffer { digest, size }))
    }

    /// Sends the rest of an offered pack over a stream.
    pub fn send(&self, part: &PackPart, stream: &mut UnixStream) -> io::Result<()> {
        let opened = if is_digest(&part.digest) {
            fs::File::open(self.outgoing(&part.digest))
        } else {
            Err(io::ErrorKind::InvalidInput.into())
        };
        let mut pack = match opened {
            Ok(pack) => pack,
            Err(error) => return write_line(stream, &Err::<(), _>(FarError::failed(error))),
        };
        pack.seek(SeekFrom::Start(part.offset))?;
        write_line(stream, &Ok::<_, FarError>(()))?;
        io::copy(&mut pack, stream)?;
        stream.shutdown(std::net::Shutdown::Write)
    }

    /// Forgets an offered pack, which the other side has or no longer wants.
    pub fn withdraw(&self, offer: &PackOffer) {
        if is_digest(&offer.digest) {
            // A pack that stays is removed after some hours.
            file::remove_file(&self.outgoing(&offer.digest)).ok();
        }
    }

    /// Fetches an offered pack, from the byte on at which an earlier attempt ended. `open` returns a
    /// stream on which the request for a part was written.
    pub fn fetch(
        &self,
        offer: &PackOffer,
        open: impl FnOnce(PackPart) -> io::Result<UnixStream>,
    ) -> anyhow::Result<ReceivedPack> {
        anyhow::ensure!(is_digest(&offer.digest), "a pack has no valid digest");
        anyhow::ensure!(
            offer.size <= MAX_PACK,
            "a pack of {} bytes is too large",
            offer.size
        );
        self.remove_old()?;
        let path = self.incoming(&offer.digest);
        let mut options = fs::OpenOptions::new();
        let mut pack = options.create(true).append(true).open(&path)?;
        let offset = pack.metadata()?.len();
        if offset < offer.size {
            let digest = offer.digest.clone();
            let mut stream = open(PackPart { digest, offset })?;
            read_line::<Result<(), FarError>>(&mut stream)??;
            let mut rest = Read::take(&mut stream, offer.size - offset);
            io::copy(&mut rest, &mut pack)?;
        }
        pack.flush()?;
        let size = pack.metadata()?.len();
        anyhow::ensure!(
            size >= offer.size,
            "the connection ended after {size} of {} bytes",
            offer.size
        );
        let received = ReceivedPack { path };
        anyhow::ensure!(
            compute_digest(&received.path)? == offer.digest,
            "a pack arrived damaged"
        );
        Ok(received)
    }
}

/// A whole pack that came from the other side. The file is removed on drop.
#[derive(Debug)]
pub struct ReceivedPack {
    path: PathBuf,
}

impl Drop for ReceivedPack {
    fn drop(&mut self) {
        file::remove_file(&self.path).ok();
    }
}

impl ReceivedPack {
    /// Checks the objects, and adds them to a repository.
    pub fn add_to(&self, repository: &Git) -> anyhow::Result<()> {
        let folder = repository.folder().join("objects/pack");
        let name = self.path.file_stem().unwrap_or_default().to_string_lossy();
        let name = name.trim_start_matches("in-");
        let pack = folder.join(format!("pack-{}.pack", &name[..name.len().min(40)]));
        // Another disk needs a copy. One that is full must keep no half of it.
        if fs::rename(&self.path, &pack).is_err()
            && let Err(error) = fs::copy(&self.path, &pack)
        {
            file::remove_file(&pack)?;
            return Err(error.into());
        }
        let call = repository.plumbing(["index-pack", "--strict"]);
        let indexed = call.args([&pack]).limit(PACK_TIMEOUT).run();
        if indexed.is_err() {
            file::remove_file(&pack)?;
        }
        Ok(indexed?)
    }
}

/// Checks that commits are in a repository with all their objects.
pub fn check_complete(repository: &Git, commits: &[String]) -> anyhow::Result<()> {
    let call = repository.plumbing(["rev-list", "--objects", "--quiet"]);
    let call = call.args(commits).args(["--not", "--all"]);
    call.limit(PACK_TIMEOUT).run()?;
    Ok(())
}

/// Returns true for the id of a git object.
pub fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns those of the commits that are in a repository.
fn keep_known(git: &Git, commits: &[String]) -> anyhow::Result<BTreeSet<String>> {
    let asked: Vec<&str> = commits
        .iter()
        .map(String::as_str)
        .filter(|id| is_object_id(id))
        .collect();
    if asked.is_empty() {
        return Ok(BTreeSet::new());
    }
    let call = git.plumbing(["cat-file", "--batch-check=%(objectname) %(objecttype)"]);
    let listed = call.stdin(asked.join("\n") + "\n").text()?;
    Ok(listed
        .lines()
        .filter_map(|line| line.strip_suffix(" commit"))
        .map(str::to_owned)
        .collect())
}

/// Reads the number of objects in the header of a pack: after its mark and its version.
fn count_objects(pack: &Path) -> io::Result<u32> {
    let mut header = [0; 12];
    fs::File::open(pack)?.read_exact(&mut header)?;
    let [.., a, b, c, d] = header;
    Ok(u32::from_be_bytes([a, b, c, d]))
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns the SHA-256 of a file, in hexadecimal digits.
pub(crate) fn compute_digest(path: &Path) -> io::Result<String> {
    let mut pack = fs::File::open(path)?;
    let mut digest = Sha256::new();
    let mut part = vec![0; 1 << 16];
    loop {
        match pack.read(&mut part)? {
            0 => break,
            length => digest.update(&part[..length]),
        }
    }
    let digest = digest.finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn commit(folder: &Path, name: &str, content: &str) -> String {
        let git = Git::at(folder);
        fs::write(folder.join(name), content).unwrap();
        git.add_all().unwrap();
        let tree = git.plumbing(["write-tree"]).text().unwrap();
        let parent = git.resolve("HEAD").unwrap();
        let parents: Vec<&str> = parent.as_deref().into_iter().collect();
        let who = bd::git::Identity {
            name: "a".to_owned(),
            email: "a@b".to_owned(),
        };
        let id = git.commit_tree(&tree, &parents, "m", &who).unwrap();
        git.plumbing(["update-ref", "HEAD", &id]).run().unwrap();
        id
    }

    /// A repository with two commits, an empty repository, and the folders of two sides.
    struct Place {
        folder: tempfile::TempDir,
        commits: [String; 2],
    }

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let from = folder.path().join("from");
            fs::create_dir(&from).unwrap();
            Git::at(&from).init("main", false).unwrap();
            let commits = [
                commit(&from, "a", "1"),
                commit(&from, "b", &"2\n".repeat(9000)),
            ];
            let to = folder.path().join("to");
            fs::create_dir(&to).unwrap();
            Git::at(&to).init("main", true).unwrap();
            Self { folder, commits }
        }

        fn git(&self, name: &str) -> Git {
            Git::at(self.folder.path().join(name))
        }

        fn packs(&self, side: &str) -> PackFolder {
            PackFolder::new(&self.folder.path().join(side))
        }

        /// Sends at most `limit` bytes of a pack.
        fn fetch(&self, offer: &PackOffer, limit: u64) -> anyhow::Result<ReceivedPack> {
            self.packs("in").fetch(offer, |part| {
                let (own, mut other) = UnixStream::pair()?;
                let packs = self.packs("out");
                thread::spawn(move || {
                    let (mut reader, mut writer) = UnixStream::pair().unwrap();
                    let sending = thread::spawn(move || packs.send(&part, &mut writer));
                    let line = super::super::protocol::read_raw_line(&mut reader).unwrap();
                    other.write_all(&line).unwrap();
                    other.write_all(b"\n").unwrap();
                    io::copy(&mut reader.take(limit), &mut other).unwrap();
                    drop(other);
                    sending.join().unwrap().ok();
                });
                Ok(own)
            })
        }
    }

    #[test]
    fn a_pack_has_only_what_the_other_side_lacks_and_is_complete_there() {
        let place = Place::new();
        let [first, second] = place.commits.clone();
        let to = place.git("to");
        let offer = |known: &[String]| {
            let wanted = [second.clone()];
            place.packs("out").offer(&place.git("from"), &wanted, known)
        };
        let whole = offer(&[]).unwrap().unwrap();
        let rest = offer(&[first.clone(), "no id".to_owned(), "0".repeat(40)])
            .unwrap()
            .unwrap();
        assert!(rest.size < whole.size);
        assert_eq!(offer(std::slice::from_ref(&second)).unwrap(), None);
        let add = |offer| place.fetch(offer, u64::MAX).unwrap().add_to(&to);
        let error = add(&rest).unwrap_err().to_string();
        assert!(error.contains("did not receive expected object"), "{error}");
        assert!(check_complete(&to, std::slice::from_ref(&second)).is_err());
        add(&whole).unwrap();
        add(&rest).unwrap();
        check_complete(&to, &[second]).unwrap();
    }

    #[test]
    fn a_transfer_goes_on_where_it_was_cut() {
        let place = Place::new();
        let wanted = [place.commits[1].clone()];
        let packs = place.packs("out");
        let offer = packs
            .offer(&place.git("from"), &wanted, &[])
            .unwrap()
            .unwrap();
        let mut cuts = 0;
        let received = loop {
            match place.fetch(&offer, 100) {
                Ok(received) => break received,
                Err(error) => assert!(error.to_string().contains("bytes"), "{error}"),
            }
            cuts += 1;
        };
        assert_eq!(cuts, (offer.size - 1) / 100);
        received.add_to(&place.git("to")).unwrap();
    }

    #[test]
    fn a_damaged_pack_is_refused_and_fetched_again() {
        let place = Place::new();
        let wanted = [place.commits[1].clone()];
        let packs = place.packs("out");
        let offer = packs
            .offer(&place.git("from"), &wanted, &[])
            .unwrap()
            .unwrap();
        let good = fs::read(packs.outgoing(&offer.digest)).unwrap();
        let mut bad = good.clone();
        bad[40] ^= 1;
        fs::write(packs.outgoing(&offer.digest), bad).unwrap();
        let error = place.fetch(&offer, u64::MAX).unwrap_err();
        assert_eq!(error.to_string(), "a pack arrived damaged");
        fs::write(packs.outgoing(&offer.digest), good).unwrap();
        place.fetch(&offer, u64::MAX).unwrap();
        for digest in ["", "../x", &"g".repeat(64)] {
            let digest = digest.to_owned();
            let offer = PackOffer { digest, size: 1 };
            assert!(place.fetch(&offer, 9).is_err());
        }
    }
}
