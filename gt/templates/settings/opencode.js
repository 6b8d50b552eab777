// Written by gt: makes OpenCode call gt at the turns of a session. `gt hooks sync` restores it.
import { spawn } from "node:child_process"

export const GasTown = async ({ client, directory }) => {
  const children = new Set() // sessions of subagents: they have no work of their own
  const primed = new Map() // sessions that have their context, and those that lost it to a compaction

  // Runs gt with an event on its standard input; what fails says nothing.
  const gt = (args, event) =>
    new Promise((resolve) => {
      const child = spawn("gt", args, { cwd: directory, stdio: ["pipe", "pipe", "ignore"] })
      let out = ""
      child.on("error", () => resolve(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (data) => (out += data))
      child.on("close", (code) => resolve(code === 0 ? out.trim() : ""))
      child.stdin.end(JSON.stringify({ cwd: directory, ...event }))
    })
  const note = (session, name, more) => gt(["signal", "event"], { hook_event_name: name, session_id: session, ...more })

  const stopped = async (session) => {
    const answer = await gt(["signal", "stop"], { hook_event_name: "Stop", session_id: session })
    if (!answer) return
    const text = JSON.parse(answer).reason
    await client.session.promptAsync({ path: { id: session }, body: { parts: [{ type: "text", text }] } })
  }

  return {
    event: async ({ event }) => {
      const { sessionID, info, error } = event.properties || {}
      if (event.type === "session.created" && info?.parentID) children.add(info.id)
      if (children.has(sessionID)) return
      if (event.type === "session.idle") await stopped(sessionID)
      if (event.type === "session.compacted") primed.set(sessionID, "compact")
      if (event.type === "permission.asked") await note(sessionID, "PermissionRequest", { message: event.properties.permission })
      if (event.type === "session.error" && error && error.name !== "MessageAbortedError") {
        const kind = { 401: "authentication_failed", 402: "billing_error", 429: "rate_limit", 529: "overloaded" }[error.data?.statusCode]
        await note(sessionID, "StopFailure", { error: kind || "server_error", error_message: error.data?.message || error.name })
      }
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const text = parts.find((part) => part.type === "text")
      if (!text || children.has(sessionID)) return
      const source = primed.has(sessionID) ? primed.get(sessionID) : "startup"
      primed.set(sessionID, "")
      const start = { hook_event_name: "SessionStart", source, session_id: sessionID }
      const prompt = { hook_event_name: "UserPromptSubmit", session_id: sessionID }
      const context = source && (await gt(["prime", "--hook"], start))
      const mail = await gt(["mail", "check", "--inject"], prompt)
      text.text = [context, mail, text.text].filter(Boolean).join("\n\n")
    },
    "tool.execute.after": async ({ sessionID, tool }) => {
      await note(sessionID, "PostToolUse", { tool_name: tool })
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const keep = await gt(["prime", "--hook"], { hook_event_name: "PreCompact", session_id: sessionID })
      if (keep) output.context.push(keep)
    },
  }
}
