//! Shows long reports in a pager, as git does. Only on a terminal.

use kit::sys::{ChildCommand, Env};

use crate::context::Context;

/// The exit code of a shell that cannot find the program.
const NOT_FOUND: i32 = 127;

/// Shows a text in the user's pager. Returns false if there is no pager or standard output is no
/// terminal.
pub(super) fn show_in_pager(ctx: &Context, text: &str) -> bool {
    if !ctx.ui.is_terminal() || ctx.ui.is_json() {
        return false;
    }
    let Some(pager) = choose_pager(&ctx.env) else {
        return false;
    };
    // The pager is the user's own command line, run by a shell as in git. The text is only its
    // input.
    let mut shell = ChildCommand::new("/bin/sh")
        .args(["-c", &pager])
        .stdin(text);
    if ctx.env.get("LESS").is_none() {
        shell = shell.env("LESS", "FRX");
    }
    shell
        .run_fed()
        .is_ok_and(|status| status.code() != Some(NOT_FOUND))
}

/// Returns `GIT_PAGER`, otherwise `PAGER`, otherwise less. None if the value is empty or `cat`.
fn choose_pager(env: &Env) -> Option<String> {
    // A variable that is set and empty turns the pager off.
    let pager = ["GIT_PAGER", "PAGER"]
        .iter()
        .find_map(|name| env.vars().find(|(variable, _)| variable == name))
        .map_or("less", |(_, value)| value)
        .trim();
    (!pager.is_empty() && pager != "cat").then(|| pager.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_pager_is_chosen_as_git_chooses_it() {
        let choose = |vars: &[(&str, &str)]| {
            let vars = vars.iter().map(|(name, value)| (*name, *value));
            choose_pager(&Env::with_vars(Path::new("/"), vars))
        };
        assert_eq!(choose(&[]).as_deref(), Some("less"));
        assert_eq!(choose(&[("PAGER", "more")]).as_deref(), Some("more"));
        let both = [("PAGER", "more"), ("GIT_PAGER", "most -s")];
        assert_eq!(choose(&both).as_deref(), Some("most -s"));
        assert_eq!(choose(&[("PAGER", "more"), ("GIT_PAGER", "")]), None);
        assert_eq!(choose(&[("PAGER", "cat")]), None);
    }
}
