//! Queries forges and other rigs about the gates of the working directory's store.

use std::sync::Arc;

use serde_json::Value;

use crate::context::Context;
use bd::bead::Status;
use bd::molecule::forge::{ForgeCommands, ForgeFailure};
use bd::molecule::gate::GateSources;

/// Returns the forge commands for the working directory.
pub(super) fn forge_commands(ctx: &Context) -> ForgeCommands<'_> {
    ForgeCommands {
        config: &ctx.config,
        folder: ctx.env.cwd(),
        env: &ctx.env,
        stop: Arc::default(),
    }
}

/// Warns about a command that comes with the repository and does not run.
pub(super) fn warn_about_command(ctx: &Context, setting: &str) {
    if let Some(ignored) = ctx.config.find_ignored_command(setting) {
        ctx.ui.warn(&ignored.to_string());
    }
}

pub(super) struct LocalForge<'a> {
    pub(super) ctx: &'a Context,
}

impl GateSources for LocalForge<'_> {
    fn run(&self, id: &str) -> Result<Value, ForgeFailure> {
        forge_commands(self.ctx).query_run(id)
    }

    fn pull_request(&self, id: &str) -> Result<Value, ForgeFailure> {
        forge_commands(self.ctx).query_pull_request(id)
    }

    fn bead(&self, rig: &str, id: &str) -> Result<Option<Status>, String> {
        let found = self.ctx.project().map_err(|error| error.to_string())?;
        let routes = self.ctx.routes(&found.dir);
        let route = routes.route_of_rig(rig);
        let dir = route
            .and_then(|route| routes.dir_of(route))
            .ok_or_else(|| format!("rig {rig} is not known here"))?;
        let snapshot = self
            .ctx
            .open(&dir)
            .and_then(|store| store.snapshot())
            .map_err(|error| error.to_string())?;
        Ok(snapshot.get_live(id).map(|bead| bead.status.clone()))
    }
}
