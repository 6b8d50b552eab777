//! The MCP server. `rmcp` implements the protocol, and each call runs a child process of this
//! program.
//!
//! Every child reads the current files, as each `bd` does, so a server that runs for days sees all
//! changes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool as ToolEntry, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};

use crate::context::Context;
use kit::sys::env::current_exe;
use kit::sys::exec::ChildCommand;

use super::tool::{self, CONTEXT, McpTool, WORKSPACE};

/// The time limit of one call.
const CALL_TIMEOUT: Duration = Duration::from_secs(120);

const INSTRUCTIONS: &str = "Beads are units of work in git beside the code. `ready` lists what can be started, `claim` takes one, \
`close` finishes it. `create` records work that you find on the way, with deps discovered-from:ID.";

/// Serves a client until it disconnects.
pub(super) fn serve_client(ctx: &Context) -> anyhow::Result<()> {
    let server = McpServer(Arc::new(CallContext {
        program: current_exe()
            .filter(|path| path.ends_with("bd"))
            .unwrap_or_else(|| PathBuf::from("bd")),
        actor: ctx.config.get("actor"),
        beads: ctx.env.get("BEADS_DIR").map(str::to_owned),
        is_readonly: ctx.is_readonly,
        start: ctx.env.cwd().to_owned(),
        chosen: Mutex::new(None),
    }));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let running = server.serve(rmcp::transport::stdio()).await;
        // A client that disconnects before the handshake is not an error.
        if let Ok(running) = running {
            running.waiting().await?;
        }
        anyhow::Ok(())
    })?;
    // A pending read of standard input cannot be cancelled.
    runtime.shutdown_background();
    Ok(())
}

#[derive(Debug, Clone)]
struct McpServer(Arc<CallContext>);

/// The environment of all calls.
#[derive(Debug)]
struct CallContext {
    program: PathBuf,
    actor: Option<String>,
    beads: Option<String>,
    is_readonly: bool,
    /// The folder in which the client started the server.
    start: PathBuf,
    /// The folder from the last call of [`CONTEXT`].
    chosen: Mutex<Option<PathBuf>>,
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("beads", env!("CARGO_PKG_VERSION"));
        info.with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(build_tool_entries()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let calls = Arc::clone(&self.0);
        let name = request.name.into_owned();
        if name != CONTEXT && McpTool::find(&name).is_none() {
            return Err(ErrorData::invalid_params(
                format!("there is no tool {name:?}"),
                None,
            ));
        }
        let given = request.arguments.unwrap_or_default();
        let done = tokio::task::spawn_blocking(move || calls.answer(&name, &given))
            .await
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(match done {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        }
        .into())
    }
}

fn build_tool_entries() -> Vec<ToolEntry> {
    let about = "Set the folder of the project for later calls (workspace_root), or show it.";
    let context = ToolEntry::new(CONTEXT, about, Arc::new(tool::context_schema()));
    tool::read_tools()
        .iter()
        .map(|tool| {
            let hints = ToolAnnotations::new()
                .read_only(tool.is_reading)
                .destructive(false);
            ToolEntry::new(tool.name, tool.about, Arc::new(tool.schema())).with_annotations(hints)
        })
        .chain([context])
        .collect()
}

impl CallContext {
    /// Runs a call, and returns its output or its error as text for the model.
    fn answer(&self, name: &str, given: &Map<String, Value>) -> Result<String, String> {
        let chosen = self.folder(given)?;
        let folder = chosen.as_ref().unwrap_or(&self.start);
        let Some(tool) = McpTool::find(name) else {
            self.lock_chosen_folder().clone_from(&chosen);
            return Ok(json!({"workspace_root": folder}).to_string());
        };
        let line = tool
            .command_line(given)
            .map_err(|error| json!({"error": error, "code": "usage"}).to_string())?;
        let ended = self
            .exec(&line, folder, chosen.is_some())
            .run()
            .map_err(|error| error.to_string())?;
        if ended.is_success() {
            return Ok(compact_output(&ended.text(), tool.is_brief));
        }
        Err(compact_output(&ended.error_text(), false))
    }

    fn exec(&self, line: &[String], folder: &Path, is_chosen: bool) -> ChildCommand {
        let mut exec = ChildCommand::new(&self.program)
            .cwd(folder)
            .limit(CALL_TIMEOUT);
        if let Some(actor) = &self.actor {
            exec = exec.arg(format!("--actor={actor}"));
        }
        if self.is_readonly {
            exec = exec.arg("--readonly");
        }
        exec = match &self.beads {
            // A call that names a folder means the beads of that folder.
            _ if is_chosen => exec.env_remove("BEADS_DIR"),
            Some(beads) => exec.env("BEADS_DIR", beads),
            None => exec,
        };
        exec.args(line)
    }

    fn lock_chosen_folder(&self) -> MutexGuard<'_, Option<PathBuf>> {
        self.chosen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the folder that this call or an earlier call names.
    fn folder(&self, given: &Map<String, Value>) -> Result<Option<PathBuf>, String> {
        let current = self.lock_chosen_folder().clone();
        let folder = match given.get(WORKSPACE) {
            None | Some(Value::Null) => return Ok(current),
            Some(Value::String(text)) => self.start.join(text),
            Some(_) => return Err(format!("{WORKSPACE} takes a text")),
        };
        if folder.is_dir() {
            return Ok(Some(folder));
        }
        Err(format!("no such folder: {}", folder.display()))
    }
}

/// Compacts JSON to one line, with reduced beads if `is_brief` is set. Other text stays unchanged.
fn compact_output(text: &str, is_brief: bool) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if is_brief => tool::keep_brief_fields(value).to_string(),
        Ok(_) => bd::bead::record::compact_json(text)
            .map_or_else(|_| text.to_owned(), |raw| raw.get().to_owned()),
        Err(_) => text.to_owned(),
    }
}
