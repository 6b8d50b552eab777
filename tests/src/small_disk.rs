//! A full disk.

use crate::Town;

/// A town on a small disk of its own; its drop ends the town and takes the disk away.
pub struct SmallDisk<'a>(&'a Town);

impl<'a> SmallDisk<'a> {
    /// A disk of that size for the town's folder, which is not there yet; `None`, with the reason
    /// printed, where this user may not mount.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says why")]
    pub fn below(town: &'a Town, size: &str) -> Option<Self> {
        let root = town.root();
        std::fs::create_dir(&root).unwrap();
        let mount = town.program_on_path("mount");
        let mounted = mount
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .args([root.to_str().unwrap()])
            .run();
        if mounted.code != 0 {
            eprintln!("skipped: no disk can be mounted: {}", mounted.err);
            return None;
        }
        Some(Self(town))
    }

    /// Leaves no room on it.
    pub fn fill(&self) {
        let script =
            "cat /dev/zero > filler 2>/dev/null; ! echo x > more 2>/dev/null || ! test -s more";
        let sh = self.0.program_on_path("sh").at(&self.0.root());
        sh.args(["-c", script]).ok();
    }

    /// Makes room again.
    pub fn free(&self) {
        std::fs::remove_file(self.0.root().join("filler")).unwrap();
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        self.0.gt(["down"]).run();
        let root = self.0.root();
        let umount = self.0.program_on_path("umount");
        umount.args(["-l", root.to_str().unwrap()]).run();
    }
}
