#!/usr/bin/env python3
"""A scripted fake model API on localhost, for testing Gas Town with real agent CLIs.

It speaks enough of four wire formats for the real CLIs to run offline:

  Anthropic   POST /v1/messages (SSE and plain), /v1/messages/count_tokens   claude, opencode
  Responses   POST /v1/responses (SSE and plain), /v1/responses/compact      codex, opencode
  Chat        POST /v1/chat/completions (SSE and plain)                      opencode, others
  Gemini      POST /v1beta/models/M:generateContent, :streamGenerateContent,
              :countTokens, :embedContent                                    gemini

HEAD and GET answer 200 anywhere; GET .../models lists one model per name asked for.
What the "model" says comes from a JSON scenario; --self-test shows its parts at work. Every request
is appended to a JSONL log together with the reply that was chosen for it.

Stdlib only. Binds to 127.0.0.1 unless told otherwise, never connects anywhere.
"""
import argparse
import hashlib
import http.server
import json
import os
import re
import signal
import socket
import sys
import threading
import time
import traceback
from urllib.parse import unquote, urlsplit

FIELDS = ("tag", "api", "model", "cwd", "system", "first_user", "user", "tools", "text", "session")
COMPACTED = re.compile(r"session is being continued from a previous conversation", re.I)
# How a prompt typed while the agent was busy is wrapped.
QUEUED = re.compile(r"user sent (?:a new|the following) message[^\n:]*:\s*\n(.*?)(?:\n\s*\n(?:IMPORTANT|This is how)|\Z)", re.S)
# The prompt with which a CLI asks for that summary.
COMPACTING = re.compile(r"Your task is to create a detailed summary of the conversation|CONTEXT CHECKPOINT COMPACTION", re.I)
# Wrappers that CLIs put around text nobody typed.
WRAPPERS = re.compile(
    r"<(system-reminder|environment_context|user_instructions|permissions[ _]instructions|INSTRUCTIONS|"
    r"local-command-caveat|local-command-stdout|local-command-stderr|command-name|command-message|command-args|"
    r"session_context|hook_context|skills_instructions|collaboration_mode)\b[^>]*>.*?</\1>",
    re.S)
CWD = (
    re.compile(r"Primary working directory:\s*(\S+)"),
    re.compile(r"[Ww]orking directory:\s*(/\S+)"),
    re.compile(r"<cwd>(.*?)</cwd>"),
    re.compile(r"currently working in the directory:\s*(\S+)"),
    re.compile(r"- \*\*Workspace Directories:\*\*\s*\n\s*- (\S+)"),
)


# --------------------------------------------------------------------------- conversations

class Conv:
    """One request, reduced to what a scenario can match on.

    events is a list of dicts, k being one of
      user       text somebody typed (a prompt, a nudge)
      system     text injected around it (hook output, reminders)
      assistant  an earlier reply: text, calls=[(id, name, input)]
      result     a tool result: id, text
    """

    def __init__(self, api):
        self.api = api
        self.system = ""
        self.model = ""
        self.stream = False
        self.session = ""
        self.tag = ""
        self.tools = []
        self.tool_specs = {}
        self.schema = None          # JSON schema asked for as the reply's format
        self.events = []

    def add_user(self, text):
        bare = WRAPPERS.sub("", text).strip()
        queued = QUEUED.search(bare)     # typed while the agent was busy
        if queued:
            bare = queued.group(1).strip()
        bare = re.sub(r"</?pasted_content\b[^>]*>\n?", "", bare).strip()
        if bare.startswith("# AGENTS.md instructions") or bare.startswith("# Context from"):
            bare = ""
        if bare != text.strip():
            self.events.append({"k": "system", "text": text})
        if bare:
            self.events.append({"k": "user", "text": bare})

    def texts(self, kind):
        return [e["text"] for e in self.events if e["k"] == kind]

    def field(self, name):
        if name == "system":
            return self.system
        if name == "first_user":
            return (self.texts("user") or [""])[0]
        if name == "user":
            return (self.texts("user") or [""])[-1]
        if name == "tools":
            return " ".join(self.tools)
        if name == "text":
            return self.system + "\n" + "\n".join(e.get("text", "") for e in self.events)
        if name == "cwd":
            for source in [self.system] + [e["text"] for e in self.events if e["k"] in ("system", "user")]:
                for rx in CWD:
                    m = rx.search(source)
                    if m:
                        return m.group(1)
            return ""
        return getattr(self, name, "")


def flat(content):
    """Text of a content value in any of the formats."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(flat(c) for c in content)
    if isinstance(content, dict):
        for key in ("text", "content", "output", "response", "thinking"):
            if key in content:
                return flat(content[key])
        return json.dumps(content)
    return str(content)


def loads(value):
    if isinstance(value, (dict, list)):
        return value
    try:
        return json.loads(value or "{}")
    except ValueError:
        return {"_raw": value}


def from_anthropic(body):
    c = Conv("anthropic")
    c.system = flat(body.get("system"))
    c.model = body.get("model", "")
    c.stream = bool(body.get("stream"))
    for t in body.get("tools") or []:
        c.tools.append(t.get("name", ""))
        c.tool_specs[t.get("name", "")] = t.get("input_schema") or {}
    fmt = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    if fmt.get("type") == "json_schema":
        c.schema = fmt.get("schema") or {}
    c.session = session_of((body.get("metadata") or {}).get("user_id"))
    for m in body.get("messages") or []:
        role, content = m.get("role"), m.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        if role == "assistant":
            c.events.append({
                "k": "assistant",
                "text": "\n".join(b.get("text", "") for b in blocks if b.get("type") == "text"),
                "calls": [(b.get("id"), b.get("name"), b.get("input")) for b in blocks
                          if b.get("type") == "tool_use"]})
        elif role == "user":
            for b in blocks:
                if b.get("type") == "tool_result":
                    c.events.append({"k": "result", "id": b.get("tool_use_id"), "text": flat(b.get("content")),
                                     "error": bool(b.get("is_error"))})
                elif b.get("type") == "text":
                    c.add_user(b.get("text", ""))
        else:
            # A mid-conversation system message: hook context, or a prompt typed while
            # the agent was busy ("The user sent a new message while you were working").
            text = flat(content)
            queued = QUEUED.search(text)
            c.events.append({"k": "system", "text": text})
            if queued:
                c.events.append({"k": "user", "text": queued.group(1).strip()})
    return c


def from_responses(body):
    c = Conv("responses")
    c.system = flat(body.get("instructions"))
    c.model = body.get("model", "")
    c.stream = bool(body.get("stream"))
    for t in body.get("tools") or []:
        name = t.get("name") or t.get("type", "")
        c.tools.append(name)
        c.tool_specs[name] = t.get("parameters") or {}
    fmt = (body.get("text") or {}).get("format") or {}
    if fmt.get("type") == "json_schema":
        c.schema = fmt.get("schema") or {}
    c.session = body.get("prompt_cache_key") or session_of((body.get("metadata") or {}).get("user_id"))
    items = body.get("input")
    if isinstance(items, str):
        items = [{"type": "message", "role": "user", "content": items}]
    for it in items or []:
        kind = it.get("type", "message")
        if kind == "message":
            role = it.get("role")
            if role == "assistant":
                c.events.append({"k": "assistant", "text": flat(it.get("content")), "calls": []})
            elif role == "user":
                for part in it["content"] if isinstance(it.get("content"), list) else [it.get("content")]:
                    c.add_user(flat(part))
            else:
                c.events.append({"k": "system", "text": flat(it.get("content"))})
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            call = (it.get("call_id"), it.get("name") or kind, loads(it.get("arguments") or it.get("input")))
            last = c.events[-1] if c.events else None
            if last and last["k"] == "assistant":
                last["calls"].append(call)
            else:
                c.events.append({"k": "assistant", "text": "", "calls": [call]})
        elif kind.endswith("_output"):
            c.events.append({"k": "result", "id": it.get("call_id"), "text": flat(it.get("output")), "error": False})
    return c


def from_chat(body):
    c = Conv("chat")
    c.model = body.get("model", "")
    c.stream = bool(body.get("stream"))
    for t in body.get("tools") or []:
        f = t.get("function") or {}
        c.tools.append(f.get("name", ""))
        c.tool_specs[f.get("name", "")] = f.get("parameters") or {}
    fmt = body.get("response_format") or {}
    if fmt.get("type") == "json_schema":
        c.schema = (fmt.get("json_schema") or {}).get("schema") or {}
    c.session = body.get("prompt_cache_key") or body.get("user") or ""
    for m in body.get("messages") or []:
        role = m.get("role")
        if role in ("system", "developer") and not c.events:
            c.system += flat(m.get("content")) + "\n"
        elif role == "user":
            for part in m["content"] if isinstance(m.get("content"), list) else [m.get("content")]:
                c.add_user(flat(part))
        elif role == "assistant":
            c.events.append({"k": "assistant", "text": flat(m.get("content")), "calls": [
                (t.get("id"), (t.get("function") or {}).get("name"), loads((t.get("function") or {}).get("arguments")))
                for t in m.get("tool_calls") or []]})
        elif role == "tool":
            c.events.append({"k": "result", "id": m.get("tool_call_id"), "text": flat(m.get("content")), "error": False})
        else:
            c.events.append({"k": "system", "text": flat(m.get("content"))})
    return c


def from_gemini(body, model, stream):
    c = Conv("gemini")
    c.model, c.stream = model, stream
    c.system = flat((body.get("systemInstruction") or body.get("system_instruction") or {}).get("parts"))
    for t in body.get("tools") or []:
        for f in t.get("functionDeclarations") or t.get("function_declarations") or []:
            c.tools.append(f.get("name", ""))
            c.tool_specs[f.get("name", "")] = f.get("parametersJsonSchema") or f.get("parameters") or {}
    gen = body.get("generationConfig") or {}
    if "json" in (gen.get("responseMimeType") or ""):
        c.schema = gen.get("responseJsonSchema") or gen.get("responseSchema") or {}
    n = 0
    for m in body.get("contents") or []:
        parts = m.get("parts") or []
        if m.get("role") == "model":
            calls = []
            for p in parts:
                if "functionCall" in p:
                    fc = p["functionCall"]
                    args = fc.get("args") or {}
                    own = re.search(r"\[(fk[0-9a-f]{6}i\d+c\d+)\]", json.dumps(args))
                    calls.append((fc.get("id") or (own and own.group(1)) or "n%d" % n, fc.get("name"), args))
                    if own:
                        calls[-1] = (own.group(1),) + calls[-1][1:]
                    n += 1
            c.events.append({"k": "assistant", "calls": calls, "text": "\n".join(
                p["text"] for p in parts if "text" in p and not p.get("thought"))})
        else:
            for p in parts:
                if "functionResponse" in p:
                    fr = p["functionResponse"]
                    c.events.append({"k": "result", "id": fr.get("id"), "text": flat(fr.get("response")), "error": False})
                elif "text" in p:
                    c.add_user(p["text"])
    return c


def session_of(user_id):
    """claude sends metadata.user_id as JSON holding session_id (older ones: ..._session_UUID)."""
    if not user_id:
        return ""
    try:
        return json.loads(user_id).get("session_id", "")
    except (ValueError, AttributeError):
        m = re.search(r"session_([0-9a-f-]{36})", str(user_id))
        return m.group(1) if m else ""


# --------------------------------------------------------------------------- scenario

def as_list(v):
    return v if isinstance(v, list) else [] if v is None else [v]


def slug(name):
    return hashlib.sha1(name.encode()).hexdigest()[:6]


OWN_ID = re.compile(r"fk([0-9a-f]{6})i(\d+)c(\d+)")


class Scenario:
    def __init__(self, data, variables=None):
        if isinstance(data, list):
            data = {"scripts": data}
        self.data = data
        self.vars = dict(data.get("vars") or {})
        self.vars.update(variables or {})
        self.scripts = data.get("scripts") or []
        self.handlers = data.get("on") or []
        self.default = data.get("default") or {"text": "OK."}
        self.headers = data.get("headers") or {}
        self.side_text = data.get("side_text", "Fake side reply")
        self.side_match = data.get("side_match") or []
        self.compact_text = data.get("compact_text", "Fake summary of the work so far.")
        for i, s in enumerate(self.scripts):
            s.setdefault("name", "script%d" % i)
            if "turns" not in s:
                raise ValueError("script %s has no turns" % s["name"])
            for key in ("match", "not_match"):
                for field, rxs in (s.get(key) or {}).items():
                    if field not in FIELDS:
                        raise ValueError("script %s: %s by unknown field %r (known: %s)"
                                         % (s["name"], key, field, ", ".join(FIELDS)))
                    for rx in as_list(rxs):
                        re.compile(rx)
        names = [s["name"] for s in self.scripts]
        if len(set(names)) != len(names):
            raise ValueError("two scripts share a name")
        for where in [self.data] + self.scripts:
            for h in where.get("on") or []:
                re.compile(h["match"])
        self.lock = threading.Lock()
        self.sticky = {}       # (session, first prompt) -> script name
        self.last_pos = {}     # (session, script) -> position, for after a compaction
        self.base = {}         # (session, script, summary) -> position at that compaction
        self.uses = {}         # (session, script, item) -> times an error or drop was played

    # -- which script ------------------------------------------------------
    def script_for(self, conv, side=False):
        scripts = [s for s in self.scripts if bool(s.get("side")) == side]
        key = (conv.session, side, hashlib.sha1(conv.field("first_user").encode()).hexdigest())
        if conv.session:
            name = self.sticky.get(key)
            if name is None and COMPACTED.search(conv.field("text")):
                name = self.sticky.get((conv.session, side, "latest"))
            if name is not None:
                for s in scripts:
                    if s["name"] == name:
                        return s, self.groups(s, conv)
        for s in scripts:
            groups = self.groups(s, conv)
            if groups is not None:
                if conv.session:
                    self.sticky[key] = self.sticky[(conv.session, side, "latest")] = s["name"]
                return s, groups
        return None, {}

    @staticmethod
    def groups(script, conv):
        found = {}
        for field, rxs in (script.get("match") or {}).items():
            for rx in as_list(rxs):
                m = re.search(rx, conv.field(field), re.S)
                if not m:
                    return None
                found.update({k: v for k, v in m.groupdict().items() if v is not None})
        for field, rxs in (script.get("not_match") or {}).items():
            for rx in as_list(rxs):
                if re.search(rx, conv.field(field), re.S):
                    return None
        return found

    # -- which turn --------------------------------------------------------
    def plan(self, conv):
        """Returns (turn dict, info). Derived from the request alone, so a retry gets the same answer."""
        if COMPACTING.search(conv.field("user")):
            return {"text": "<analysis>Scripted.</analysis>\n<summary>\n%s\n</summary>" % self.compact_text}, \
                {"side": True, "compaction": True}
        side = self.is_side(conv)
        script, groups = self.script_for(conv, side)
        if script is None and side:
            return {"text": self.side_reply(conv)}, {"side": True}
        if script is None:
            script = {"name": "default", "turns": [], "after": self.default}
        groups = groups or {}
        handlers = list(script.get("on") or []) + ([] if side else self.handlers)
        turns, sid = script["turns"], slug(script["name"])

        pos, from_ids = 0, False         # position in turns
        active = None                    # handler of the exchange in progress: [handler, steps done, mid-turn]
        prev = None
        compacted = None
        for e in conv.events:
            if e["k"] == "user":
                if COMPACTED.search(e["text"]):
                    compacted = hashlib.sha1(e["text"][:4000].encode()).hexdigest()
                    pos, from_ids, active = 0, False, None
                else:
                    hit = next((h for h in handlers if re.search(h["match"], e["text"], re.S)), None)
                    mid = prev == "result"
                    if hit:
                        m = re.search(hit["match"], e["text"], re.S)
                        active = [hit, 0, mid, {k: v for k, v in m.groupdict().items() if v is not None}]
                    elif not mid:
                        active = None
            elif e["k"] == "assistant":
                own = [m for m in (OWN_ID.search(str(i or "")) for i, _, _ in e["calls"]) if m]
                mine = [m for m in own if m.group(1) == sid]
                if mine:
                    pos, from_ids = int(mine[-1].group(2)) + 1, True
                    if active and active[2]:
                        active = None
                elif active:
                    active[1] += 1
                    if not e["calls"] and active[2]:
                        active = None
                elif not own:
                    # No id of ours survived: count the replies themselves.
                    if pos < len(turns) and bool(e["calls"]) == self.has_calls(turns[pos]):
                        pos += 1
            if e["k"] in ("user", "assistant", "result"):
                prev = e["k"]
            if script.get("loop") and turns:
                pos %= len(turns)

        key = (conv.session, script["name"])
        if compacted and conv.session and not from_ids:
            base = self.base.setdefault(key + (compacted,), self.last_pos.get(key, 0))
            pos += base
            if script.get("loop") and turns:
                pos %= len(turns)

        info = {"script": script["name"], "item": pos}
        if side:
            info["side"] = True
        ctx = dict(self.vars)
        ctx.update(groups)
        prefix = ""
        if active:
            steps = active[0]["turns"]
            k = active[1]
            ctx.update(active[3])
            info["handler"] = active[0]["match"]
            mid = active[2]
            if k < len(steps) and not (mid and not self.has_calls(steps[k])):
                return self.fill(steps[k], ctx, conv, "on" + active[0]["match"], k), dict(info, item=k)
            if not mid:
                return self.fill(active[0].get("after") or {"text": "OK."}, ctx, conv, "on", k), dict(info, item=k)
            prefix = "\n".join(s.get("text", "") for s in steps[k:])
        if pos < len(turns):
            turn = self.fill(turns[pos], ctx, conv, script["name"], pos)
        else:
            turn = self.fill(script.get("after") or self.default, ctx, conv, script["name"], pos)
        if prefix:
            turn["text"] = (self.subst(prefix, ctx, conv) + "\n" + turn.get("text", "")).strip()
        return turn, dict(info, main=True)

    def served(self, conv, info):
        """Remember how far a script has come, for when a compaction wipes the conversation."""
        if info.pop("main", None) and conv.session:
            self.last_pos[(conv.session, info["script"])] = info["item"] + 1

    @staticmethod
    def has_calls(turn):
        return bool(turn.get("sh") or turn.get("tools"))

    def is_side(self, conv):
        """Titles, routing, summaries of a tool result: requests a CLI makes beside the agent's own."""
        return (conv.schema is not None or not conv.tools or
                any(re.search(rx, conv.field("text"), re.S) for rx in self.side_match))

    def side_reply(self, conv):
        if conv.schema is not None:
            return json.dumps(instance_of(conv.schema, self.side_text))
        return self.side_text

    # -- filling a turn ----------------------------------------------------
    def fill(self, turn, ctx, conv, name, item):
        ctx = dict(ctx)
        results = conv.texts("result")
        ctx.setdefault("cwd", conv.field("cwd"))
        ctx.update({"session": conv.session, "tag": conv.tag, "model": conv.model,
                    "user": conv.field("user"), "last_result": results[-1] if results else ""})
        for k, r in enumerate(results):
            ctx["result%d" % k] = r
        for key, rx in (turn.get("capture") or {}).items():
            m = None
            for m in re.finditer(rx, conv.field("text"), re.S):
                pass
            ctx[key] = (m.group(1) if m.groups() else m.group(0)) if m else ""
        out = {k: v for k, v in turn.items() if k not in ("text", "sh", "tools", "capture")}
        out["text"] = self.subst(turn.get("text", ""), ctx, conv)
        calls = []
        for cmd in as_list(turn.get("sh")):
            calls.append(shell_call(conv, self.subst(cmd, ctx, conv), turn.get("describe", "Scripted step")))
        for t in turn.get("tools") or []:
            calls.append((t["name"], self.subst(t.get("input") or {}, ctx, conv)))
        out["calls"] = [("fk%si%dc%d" % (slug(name), item, k), n, i) for k, (n, i) in enumerate(calls)]
        missing = [n for _, n, _ in out["calls"] if n not in conv.tools]
        if missing:
            out["missing_tools"] = missing
        expect = [rx for rx in as_list(turn.get("expect")) if not re.search(self.subst(rx, ctx, conv), conv.field("text"), re.S)]
        if expect:
            out["expect_failed"] = expect
        return out

    @staticmethod
    def subst(value, ctx, conv):
        if isinstance(value, str):
            return re.sub(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}",
                          lambda m: str(ctx[m.group(1)]) if m.group(1) in ctx else m.group(0), value)
        if isinstance(value, list):
            return [Scenario.subst(v, ctx, conv) for v in value]
        if isinstance(value, dict):
            return {k: Scenario.subst(v, ctx, conv) for k, v in value.items()}
        return value


def shell_call(conv, cmd, why):
    """The shell tool goes by another name in every CLI: pick the one this request offers."""
    for name in ("Bash", "bash", "run_shell_command"):
        if name in conv.tools:
            return name, {"command": cmd, "description": why}
    if "exec_command" in conv.tools:
        return "exec_command", {"cmd": cmd}
    if "shell_command" in conv.tools:
        return "shell_command", {"command": cmd}
    if "shell" in conv.tools:
        return "shell", {"command": ["bash", "-lc", cmd]}
    return "Bash", {"command": cmd, "description": why}


def instance_of(schema, text):
    """A small instance of a JSON schema, with text where a string goes."""
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    for alt in ("anyOf", "oneOf"):
        if schema.get(alt):
            return instance_of(schema[alt][0], text)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0]
    kind = (kind or ("object" if "properties" in schema else "string")).lower()
    if kind == "object":
        props = schema.get("properties") or {}
        return {k: instance_of(v, text) for k, v in props.items() if k in schema.get("required", props)}
    if kind == "array":
        return []
    if kind in ("integer", "number"):
        return 1
    if kind == "boolean":
        return False
    if kind == "null":
        return None
    return text


# --------------------------------------------------------------------------- replies

def pieces(text, n=24):
    return [text[i:i + n] for i in range(0, len(text), n)] or []


def usage_of(turn, conv):
    u = dict(turn.get("usage") or {})
    u.setdefault("input_tokens", max(1, len(conv.field("text")) // 4))
    u.setdefault("output_tokens", max(1, len(turn.get("text", "")) // 4 + 20 * len(turn["calls"])))
    return u


def sse(event, data):
    return ("event: %s\n" % event if event else "") + "data: " + json.dumps(data) + "\n\n"


def anthropic_reply(turn, conv, rid):
    use = usage_of(turn, conv)
    use.setdefault("cache_creation_input_tokens", 0)
    use.setdefault("cache_read_input_tokens", 0)
    blocks = [{"type": "text", "text": turn["text"]}] if turn["text"] or not turn["calls"] else []
    blocks += [{"type": "tool_use", "id": "toolu_%s_%s" % (i, rid[-8:]), "name": n, "input": a} for i, n, a in turn["calls"]]
    stop = turn.get("stop_reason") or ("tool_use" if turn["calls"] else "end_turn")
    msg = {"id": "msg_" + rid, "type": "message", "role": "assistant", "model": conv.model,
           "content": blocks, "stop_reason": stop, "stop_sequence": None, "usage": use}
    if not conv.stream:
        return msg
    out = [sse("message_start", {"type": "message_start", "message": dict(
        msg, content=[], stop_reason=None, usage=dict(use, output_tokens=1))})]
    for k, b in enumerate(blocks):
        if b["type"] == "text":
            out.append(sse("content_block_start", {"type": "content_block_start", "index": k, "content_block": {"type": "text", "text": ""}}))
            deltas = [{"type": "text_delta", "text": p} for p in pieces(b["text"])]
        else:
            out.append(sse("content_block_start", {"type": "content_block_start", "index": k, "content_block": dict(b, input={})}))
            deltas = [{"type": "input_json_delta", "partial_json": p} for p in pieces(json.dumps(b["input"]), 200)]
        out += [sse("content_block_delta", {"type": "content_block_delta", "index": k, "delta": d}) for d in deltas]
        out.append(sse("content_block_stop", {"type": "content_block_stop", "index": k}))
    out.append(sse("message_delta", {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None},
                                     "usage": {"output_tokens": use["output_tokens"]}}))
    out.append(sse("message_stop", {"type": "message_stop"}))
    return out


def responses_reply(turn, conv, rid):
    use = usage_of(turn, conv)
    items = []
    if turn["text"] or not turn["calls"]:
        items.append({"type": "message", "id": "msg_" + rid, "role": "assistant", "status": "completed",
                      "content": [{"type": "output_text", "text": turn["text"], "annotations": []}]})
    for i, n, a in turn["calls"]:
        items.append({"type": "function_call", "id": "fc_%s_%s" % (i, rid[-8:]), "call_id": "call_%s_%s" % (i, rid[-8:]),
                      "name": n, "arguments": json.dumps(a), "status": "completed"})
    resp = {"id": "resp_" + rid, "object": "response", "created_at": int(time.time()), "status": "completed",
            "model": conv.model, "output": items, "parallel_tool_calls": True, "error": None,
            "incomplete_details": None, "instructions": None, "metadata": {}, "tools": [], "tool_choice": "auto",
            "usage": {"input_tokens": use["input_tokens"], "input_tokens_details": {"cached_tokens": 0},
                      "output_tokens": use["output_tokens"], "output_tokens_details": {"reasoning_tokens": 0},
                      "total_tokens": use["input_tokens"] + use["output_tokens"]}}
    if not conv.stream:
        return resp
    seq = iter(range(10 ** 6))
    out = []

    def ev(kind, **data):
        out.append(sse(kind, dict({"type": kind, "sequence_number": next(seq)}, **data)))

    begun = dict(resp, status="in_progress", output=[], usage=None)
    ev("response.created", response=begun)
    ev("response.in_progress", response=begun)
    for k, it in enumerate(items):
        if it["type"] == "message":
            ev("response.output_item.added", output_index=k, item=dict(it, status="in_progress", content=[]))
            ev("response.content_part.added", output_index=k, content_index=0, item_id=it["id"],
               part={"type": "output_text", "text": "", "annotations": []})
            for p in pieces(turn["text"]):
                ev("response.output_text.delta", output_index=k, content_index=0, item_id=it["id"], delta=p)
            ev("response.output_text.done", output_index=k, content_index=0, item_id=it["id"], text=turn["text"])
            ev("response.content_part.done", output_index=k, content_index=0, item_id=it["id"], part=it["content"][0])
        else:
            ev("response.output_item.added", output_index=k, item=dict(it, status="in_progress", arguments=""))
            ev("response.function_call_arguments.delta", output_index=k, item_id=it["id"], delta=it["arguments"])
            ev("response.function_call_arguments.done", output_index=k, item_id=it["id"], arguments=it["arguments"])
        ev("response.output_item.done", output_index=k, item=it)
    ev("response.completed", response=resp)
    return out


def chat_reply(turn, conv, rid):
    use = usage_of(turn, conv)
    use = {"prompt_tokens": use["input_tokens"], "completion_tokens": use["output_tokens"],
           "total_tokens": use["input_tokens"] + use["output_tokens"]}
    calls = [{"id": "call_%s_%s" % (i, rid[-8:]), "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
             for i, n, a in turn["calls"]]
    stop = "tool_calls" if calls else "stop"
    head = {"id": "chatcmpl-" + rid, "created": int(time.time()), "model": conv.model}
    if not conv.stream:
        msg = {"role": "assistant", "content": turn["text"] or None}
        if calls:
            msg["tool_calls"] = calls
        return dict(head, object="chat.completion", usage=use,
                    choices=[{"index": 0, "message": msg, "finish_reason": stop}])
    head["object"] = "chat.completion.chunk"
    deltas = [{"role": "assistant", "content": ""}] + [{"content": p} for p in pieces(turn["text"])]
    deltas += [{"tool_calls": [dict(c, index=k)]} for k, c in enumerate(calls)]
    out = [sse(None, dict(head, choices=[{"index": 0, "delta": d, "finish_reason": None}])) for d in deltas]
    out.append(sse(None, dict(head, choices=[{"index": 0, "delta": {}, "finish_reason": stop}])))
    out.append(sse(None, dict(head, choices=[], usage=use)))
    out.append("data: [DONE]\n\n")
    return out


def gemini_reply(turn, conv, rid):
    use = usage_of(turn, conv)
    meta = {"promptTokenCount": use["input_tokens"], "candidatesTokenCount": use["output_tokens"],
            "totalTokenCount": use["input_tokens"] + use["output_tokens"]}

    def chunk(parts, finish=None):
        cand = {"index": 0, "content": {"role": "model", "parts": parts}}
        if finish:
            cand["finishReason"] = finish
        return {"candidates": [cand], "modelVersion": conv.model, "responseId": rid, "usageMetadata": meta}

    parts = []
    for i, n, a in turn["calls"]:
        a = dict(a)
        if isinstance(a.get("description"), str):
            a["description"] += " [%s]" % i      # the API echoes no id of ours, so leave it where it comes back
        parts.append({"functionCall": {"id": "%s_%s" % (i, rid[-8:]), "name": n, "args": a}})
    if not conv.stream:
        return chunk(([{"text": turn["text"]}] if turn["text"] or not parts else []) + parts, "STOP")
    out = [sse(None, chunk([{"text": p}])) for p in pieces(turn["text"])]
    out.append(sse(None, chunk(parts or [{"text": "" if turn["text"] else "OK."}], "STOP")))
    return out


# --------------------------------------------------------------------------- server

class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, addr, scenario, log_path=None, bodies="full"):
        super().__init__(addr, Handler)
        self.scenario, self.bodies = scenario, bodies
        self.log_file = open(log_path, "a", encoding="utf-8") if log_path else None
        self.log_lock = threading.Lock()
        self.started = time.time()
        self.count = 0
        self.summary = {}
        self.problems = []

    def handle_error(self, request, client_address):
        kind = sys.exc_info()[0]
        if kind and issubclass(kind, (ConnectionError, socket.timeout)):
            return
        traceback.print_exc()

    def note(self, rec):
        with self.log_lock:
            self.count += 1
            rec = dict({"n": self.count, "t": round(time.time() - self.started, 3)}, **rec)
            key = (rec.get("tag") or "") + "|" + (rec.get("session") or "") + "|" + (rec.get("script") or ("side" if rec.get("side") else ""))
            if rec.get("api"):
                s = self.summary.setdefault(key, {"tag": rec.get("tag"), "session": rec.get("session"), "script": rec.get("script"),
                                                  "side": bool(rec.get("side")), "requests": 0})
                s.update(requests=s["requests"] + 1, item=rec.get("item"), cwd=rec.get("cwd"), last_user=rec.get("user"), t=rec["t"])
            for k in ("expect_failed", "missing_tools"):
                if rec.get(k):
                    self.problems.append({"n": rec["n"], k: rec[k]})
            if self.log_file:
                self.log_file.write(json.dumps(rec) + "\n")
                self.log_file.flush()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "FakeModelAPI/1"
    timeout = 600

    def log_message(self, *args):
        pass

    # -- plumbing
    def send_json(self, obj, status=200, headers=()):
        data = json.dumps(obj).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for k, v in headers:
            self.send_header(k, str(v))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def send_stream(self, chunks, pace=0.0):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        for k, v in self.server.scenario.headers.items():
            self.send_header(k, str(v))
        self.end_headers()
        for c in chunks if pace else ["".join(chunks)]:
            data = c.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
            if pace:
                time.sleep(pace)
        self.wfile.write(b"0\r\n\r\n")

    def read_body(self):
        if "chunked" in (self.headers.get("transfer-encoding") or "").lower():
            data = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)
                if size == 0:
                    while self.rfile.readline().strip():
                        pass
                    break
                data += self.rfile.read(size)
                self.rfile.readline()
        else:
            data = self.rfile.read(int(self.headers.get("content-length") or 0))
        if (self.headers.get("content-encoding") or "") == "gzip":
            import gzip
            data = gzip.decompress(data)
        return data

    def route(self):
        """(tag, path): http://host:port/t/NAME/... lets a test give each agent its own base URL."""
        path = unquote(urlsplit(self.path).path)
        m = re.match(r"^/t/([^/]+)(/.*)?$", path)
        return (m.group(1), m.group(2) or "/") if m else ("", path)

    def safe_headers(self):
        hide = ("authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie")
        return {k.lower(): ("(given, %d chars)" % len(v) if k.lower() in hide else v) for k, v in self.headers.items()}

    # -- verbs
    def do_HEAD(self):
        self.server.note({"method": "HEAD", "path": self.path, "headers": self.safe_headers()})
        self.send_json({})

    def do_GET(self):
        tag, path = self.route()
        if path == "/_fake/state":
            srv = self.server
            with srv.log_lock:
                return self.send_json({"requests": srv.count, "conversations": list(srv.summary.values()), "problems": srv.problems})
        if (self.headers.get("upgrade") or "").lower() == "websocket":
            self.server.note({"method": "GET", "path": self.path, "tag": tag, "websocket": "refused", "headers": self.safe_headers()})
            return self.send_json({"error": {"message": "no websocket here", "type": "invalid_request_error"}}, 426)
        self.server.note({"method": "GET", "path": self.path, "tag": tag, "headers": self.safe_headers()})
        if path.startswith("/npm/"):      # an npm registry that has nothing, so that installs at start-up fail at once
            return self.send_json({"error": "not found"}, 404)
        if path.rstrip("/").endswith("/models"):
            models = as_list(self.server.scenario.data.get("models") or ["fake-model"])
            return self.send_json({"object": "list", "has_more": False, "data": [
                {"id": m, "object": "model", "type": "model", "display_name": m, "owned_by": "fake",
                 "created": 0, "created_at": "2025-01-01T00:00:00Z"} for m in models], "models": [
                {"name": "models/" + m, "displayName": m, "supportedGenerationMethods": ["generateContent"]} for m in models]})
        self.send_json({})

    def do_POST(self):
        tag, path = self.route()
        raw = self.read_body()
        try:
            body = json.loads(raw or b"{}")
        except ValueError:
            body = {"_raw": raw[:2000].decode("latin1")}
        srv = self.server
        if path == "/_fake/scenario":
            try:
                srv.scenario = Scenario(body, srv.scenario.vars)
            except (ValueError, re.error) as e:
                return self.send_json({"error": str(e)}, 400)
            return self.send_json({"ok": True})
        if path == "/_fake/quit":
            self.send_json({"ok": True})
            threading.Thread(target=srv.shutdown, daemon=True).start()
            return
        base = {"method": "POST", "path": self.path, "tag": tag, "headers": self.safe_headers()}
        if srv.bodies == "full":
            base["body"] = body

        conv, reply = None, None
        gem = re.search(r"/models/([^/:]+):(\w+)$", path)
        if path.endswith("/messages/count_tokens"):
            srv.note(dict(base, api="anthropic", side=True))
            return self.send_json({"input_tokens": max(1, len(raw) // 4)})
        if path.endswith("/messages"):
            conv, reply = from_anthropic(body), anthropic_reply
        elif path.endswith("/responses") or path.endswith("/responses/compact"):
            conv, reply = from_responses(body), responses_reply
        elif path.endswith("/chat/completions"):
            conv, reply = from_chat(body), chat_reply
        elif gem and gem.group(2) in ("generateContent", "streamGenerateContent"):
            conv, reply = from_gemini(body, gem.group(1), gem.group(2).startswith("stream")), gemini_reply
        elif gem and gem.group(2) == "countTokens":
            srv.note(dict(base, api="gemini", side=True))
            return self.send_json({"totalTokens": max(1, len(raw) // 4)})
        elif gem:
            srv.note(dict(base, api="gemini", side=True))
            return self.send_json({"embedding": {"values": [0.0] * 8}, "embeddings": [{"values": [0.0] * 8}]})
        if conv is None:
            srv.note(base)
            return self.send_json({})

        conv.tag = tag
        with srv.scenario.lock:
            turn, info = srv.scenario.plan(conv)
            turn.setdefault("calls", [])
            turn.setdefault("text", "")
            trouble = self.trouble(srv.scenario, turn, conv, info)
            if trouble:
                info.pop("main", None)
            else:
                srv.scenario.served(conv, info)
        rid = hashlib.sha1(("%s|%s|%s" % (conv.session, info, len(conv.events))).encode()).hexdigest()[:20]
        rec = dict(base, api=conv.api, model=conv.model, stream=conv.stream, session=conv.session, cwd=conv.field("cwd"),
                   messages=len(conv.events), first_user=conv.field("first_user")[:300], user=conv.field("user")[:1000],
                   last_result=(conv.texts("result") or [""])[-1][:1000], **info)
        for k in ("expect_failed", "missing_tools"):
            if turn.get(k):
                rec[k] = turn[k]
        rec["reply"] = {"text": turn["text"], "calls": [[n, a] for _, n, a in turn["calls"]]}
        if trouble:
            rec["reply"] = trouble
        srv.note(rec)

        if turn.get("delay"):
            time.sleep(float(turn["delay"]))
        if trouble and "drop" in trouble:
            self.close_connection = True
            self.connection.close()
            return
        if trouble:
            err = trouble["error"]
            return self.send_json(self.error_body(conv.api, err), int(err.get("status", 500)), (err.get("headers") or {}).items())
        try:
            answer = reply(turn, conv, rid)
            if isinstance(answer, list):
                self.send_stream(answer, float(turn.get("pace") or 0))
            else:
                self.send_json(answer)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    @staticmethod
    def trouble(scenario, turn, conv, info):
        """An item may fail its first `times` requests: {"error": {"status": 529, "times": 2}} or {"drop": 1}."""
        want = turn.get("error") or ({"drop": True, "times": turn["drop"]} if turn.get("drop") else None)
        if not want:
            return None
        key = (conv.session, info.get("script"), info.get("item"), info.get("handler"))
        used = scenario.uses.get(key, 0)
        if used >= int(want.get("times", 1)):
            return None
        scenario.uses[key] = used + 1
        return {"drop": True} if want.get("drop") else {"error": want}

    @staticmethod
    def error_body(api, err):
        kind, text = err.get("type", "api_error"), err.get("message", "Scripted failure")
        if api == "anthropic":
            return {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_fake"}
        if api == "gemini":
            return {"error": {"code": int(err.get("status", 500)), "message": text, "status": kind}}
        return {"error": {"message": text, "type": kind, "code": err.get("code", kind)}}


# --------------------------------------------------------------------------- self-test

def self_test():
    import http.client
    passed = failed = 0

    def check(name, ok, detail=""):
        nonlocal passed, failed
        passed, failed = passed + bool(ok), failed + (not ok)
        if not ok:
            print("FAIL %s %s" % (name, detail))

    scenario = Scenario({
        "vars": {"who": "toast"},
        "on": [{"match": r"nudge (?P<word>\w+)", "turns": [{"text": "heard {{word}}"}]},
               {"match": "do handler work", "turns": [{"sh": "echo h"}, {"text": "handler done"}]}],
        "scripts": [
            {"name": "polecat", "match": {"text": r"bead (?P<bead>gt-\w+)"},
             "turns": [{"text": "start", "sh": "echo {{bead}} {{who}}"}, {"sh": "git commit -m {{bead}}"},
                       {"text": "paused"}, {"sh": "echo third"}, {"text": "finished after {{last_result}}"}],
             "after": {"text": "nothing left"}},
            {"name": "flaky", "match": {"first_user": "flaky"},
             "turns": [{"text": "fine", "error": {"status": 529, "type": "overloaded_error", "times": 2}}]},
            {"name": "tagged", "match": {"tag": "^mayor$"}, "turns": [{"text": "I am {{tag}}"}]},
            {"name": "patrol", "match": {"first_user": "patrol"}, "loop": True,
             "turns": [{"sh": "echo look"}, {"text": "round over {{seen}}", "capture": {"seen": r"saw-(\w+)"}}]},
            {"name": "titles", "side": True, "match": {"text": "make a title"}, "turns": [], "after": {"text": "My title"}},
            {"name": "strict", "match": {"first_user": "strict"}, "turns": [{"text": "x", "expect": "never there"}]},
        ]})
    srv = Server(("127.0.0.1", 0), scenario)
    threading.Thread(target=srv.serve_forever, daemon=True).start()
    port = srv.server_address[1]

    def post(path, body):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        c.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        r = c.getresponse()
        data = r.read().decode()
        c.close()
        return r.status, data

    tools = [{"name": "Bash", "input_schema": {}}]

    def ask(messages, path="/v1/messages", **extra):
        s, d = post(path, dict({"model": "m", "messages": messages, "tools": tools,
                                "metadata": {"user_id": json.dumps({"session_id": extra.pop("session", "s1")})}}, **extra))
        return s, json.loads(d)

    def user(t):
        return {"role": "user", "content": t}

    def result(reply, text="out"):
        return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": b["id"], "content": text}
                                            for b in reply["content"] if b["type"] == "tool_use"]}

    def say(reply):
        return {"role": "assistant", "content": reply["content"]}

    h = [user("work on bead gt-abc")]
    _, r1 = ask(h)
    check("first turn has text and a call", [b["type"] for b in r1["content"]] == ["text", "tool_use"], r1)
    check("templates are filled", r1["content"][1]["input"]["command"] == "echo gt-abc toast", r1)
    check("a retry gets the same answer", ask(h)[1]["content"] == r1["content"])
    h += [say(r1), result(r1)]
    _, r2 = ask(h)
    check("second turn", r2["content"][0]["input"]["command"] == "git commit -m gt-abc", r2)
    h += [say(r2), result(r2)]
    _, r3 = ask(h)
    check("text-only turn ends the exchange", r3["content"][0]["text"] == "paused" and r3["stop_reason"] == "end_turn", r3)
    h += [say(r3), user("nudge hello")]
    _, rn = ask(h)
    check("a handler answers a nudge", rn["content"][0]["text"] == "heard hello", rn)
    h += [say(rn), user("do handler work")]
    _, rh = ask(h)
    check("a handler can call tools", rh["content"][0]["input"]["command"] == "echo h", rh)
    h += [say(rh), result(rh)]
    _, rh2 = ask(h)
    check("and then ends", rh2["content"][0]["text"] == "handler done", rh2)
    h += [say(rh2), user("go on")]
    _, r4 = ask(h)
    check("handlers do not move the script", r4["content"][0]["input"]["command"] == "echo third", r4)
    mid = h + [say(r4), {"role": "user", "content": result(r4, "R4")["content"] + [{"type": "text", "text": "nudge midway"}]}]
    _, r5 = ask(mid)
    check("a nudge among tool results is answered with the next turn",
          r5["content"][0]["text"] == "heard midway\nfinished after R4", r5)
    _, r6 = ask(h + [say(r4), result(r4, "R4")])
    check("last_result", r6["content"][0]["text"] == "finished after R4", r6)
    _, r7 = ask(h + [say(r4), result(r4, "R4"), say(r6), user("more?")])
    check("after the last turn", r7["content"][0]["text"] == "nothing left", r7)
    _, rc = ask([user("This session is being continued from a previous conversation. Summary: bead gt-abc"), user("go on")])
    check("after a compaction the script goes on", rc["content"][0]["text"] == "nothing left", rc)
    ask([user("bead gt-cmp")], session="s9")
    cmp = [user("This session is being continued from a previous conversation. Summary: bead gt-cmp"), user("go on")]
    _, rc = ask(cmp, session="s9")
    check("from where it was", rc["content"][0]["input"]["command"] == "git commit -m gt-cmp", rc)
    _, rc = ask(cmp + [say(rc), result(rc)], session="s9")
    check("and further", rc["content"][0]["text"] == "paused", rc)
    _, rs = ask([user("bead gt-zzz, another agent")], session="s2")
    check("agents do not mix", rs["content"][1]["input"]["command"] == "echo gt-zzz toast", rs)
    _, rd = ask([user("who are you")], session="s3")
    check("default reply", rd["content"][0]["text"] == "OK.", rd)
    _, rt = ask([user("who are you")], path="/t/mayor/v1/messages", session="s4")
    check("tagged base URL", rt["content"][0]["text"] == "I am mayor", rt)
    check("errors are played, then pass",
          [ask([user("flaky one")], session="s5")[0] for _ in range(3)] == [529, 529, 200])
    s, d = post("/v1/messages", {"model": "m", "messages": [user("bead gt-abc")],
                                 "output_config": {"format": {"type": "json_schema", "schema": {
                                     "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}}}})
    check("side request with a schema", json.loads(json.loads(d)["content"][0]["text"]) == {"title": "Fake side reply"}, d)
    s, d = post("/v1/messages", {"model": "m", "stream": True, "tools": tools, "messages": [user("bead gt-abc")]})
    check("anthropic stream", "event: message_stop" in d and "input_json_delta" in d, d[:200])
    hp = [user("patrol please")]
    for turn in range(4):
        _, rp = ask(hp, session="s6")
        call = rp["content"][0]["type"] == "tool_use"
        check("a looping script, step %d" % turn, call == (turn % 2 == 0) and
              (call or rp["content"][0]["text"] == "round over smoke"), rp)
        hp += [say(rp), result(rp, "saw-smoke") if call else user("again")]
    s, d = post("/v1/messages", {"model": "m", "messages": [user("bead gt-abc: make a title")]})
    check("a side script", json.loads(d)["content"][0]["text"] == "My title", d)
    s, d = post("/v1/messages", {"model": "m", "tools": tools, "messages": [user("bead gt-abc"), user(
        "Your task is to create a detailed summary of the conversation so far")]})
    check("a compaction gets a summary", "<summary>" in json.loads(d)["content"][0]["text"], d)
    q = [user("queue check"), {"role": "user", "content": [{"type": "text", "text":
         "The user sent a new message while you were working:\nnudge queued\n\nThis is how it is shown."}]}]
    check("a queued prompt is unwrapped", ask(q, session="s7")[1]["content"][0]["text"] == "heard queued")
    ask([user("strict one")], session="s8")
    check("a failed expectation is recorded", any("expect_failed" in p for p in srv.problems), srv.problems)
    s, d = post("/v1/messages/count_tokens", {"messages": []})
    check("count_tokens", json.loads(d)["input_tokens"] >= 1, d)
    s, d = post("/v1/responses", {"model": "m", "stream": True, "input": "bead gt-r1", "tools": [{"type": "function", "name": "exec_command"}]})
    check("responses stream", "response.completed" in d and "echo gt-r1 toast" in d, d[:300])
    call = json.loads([x for x in d.split("data: ") if '"response.completed"' in x][0])["response"]["output"]
    fc = [o for o in call if o["type"] == "function_call"][0]
    s, d = post("/v1/responses", {"model": "m", "tools": [{"type": "function", "name": "exec_command"}], "input": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "bead gt-r1"}]}, fc,
        {"type": "function_call_output", "call_id": fc["call_id"], "output": "x"}]})
    check("responses second turn", "git commit -m gt-r1" in d, d)
    ct = [{"type": "function", "function": {"name": "bash", "parameters": {}}}]
    s, d = post("/v1/chat/completions", {"model": "m", "messages": [user("bead gt-c1")], "tools": ct})
    msg = json.loads(d)["choices"][0]["message"]
    check("chat", json.loads(msg["tool_calls"][0]["function"]["arguments"])["command"] == "echo gt-c1 toast", d)
    s, d = post("/v1/chat/completions", {"model": "m", "stream": True, "tools": ct, "messages": [
        user("bead gt-c1"), msg, {"role": "tool", "tool_call_id": msg["tool_calls"][0]["id"], "content": "x"}]})
    check("chat stream, second turn", "git commit -m gt-c1" in d and "[DONE]" in d, d)
    gt = [{"functionDeclarations": [{"name": "run_shell_command"}]}]
    s, d = post("/v1beta/models/g:generateContent", {"contents": [{"role": "user", "parts": [{"text": "bead gt-g1"}]}], "tools": gt})
    content = json.loads(d)["candidates"][0]["content"]
    check("gemini", content["parts"][-1]["functionCall"]["args"]["command"] == "echo gt-g1 toast", d)
    for p in content["parts"]:
        p.get("functionCall", {}).pop("id", None)
    s, d = post("/v1beta/models/g:streamGenerateContent?alt=sse", {"tools": gt, "contents": [
        {"role": "user", "parts": [{"text": "bead gt-g1"}]}, content,
        {"role": "user", "parts": [{"functionResponse": {"name": "run_shell_command", "response": {"output": "x"}}}]}]})
    check("gemini stream, second turn", "git commit -m gt-g1" in d, d)
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    c.request("GET", "/_fake/state")
    check("state", json.loads(c.getresponse().read())["requests"] > 10)
    c.close()
    s, d = post("/_fake/scenario", {"scripts": [{"name": "x", "match": {"nonsense": "y"}, "turns": []}]})
    check("a bad scenario is refused", s == 400 and "nonsense" in d, d)
    srv.shutdown()
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


# --------------------------------------------------------------------------- main

def main():
    ap = argparse.ArgumentParser(description="Scripted fake model API for testing with real agent CLIs.")
    ap.add_argument("--scenario", help="JSON scenario file ('-': standard input); without it every reply is 'OK.'")
    ap.add_argument("--host", default="127.0.0.1")
    ap.add_argument("--port", type=int, default=0, help="0 (default): a free one; it is printed as PORT=N")
    ap.add_argument("--port-file", help="also write the port number there, once listening")
    ap.add_argument("--log", help="append every request to this JSONL file")
    ap.add_argument("--log-bodies", choices=("full", "none"), default="full")
    ap.add_argument("--max-seconds", type=float, default=900, help="stop by itself after this long (default 900)")
    ap.add_argument("--watch-pid", type=int, help="stop when this process is gone")
    ap.add_argument("--var", action="append", default=[], metavar="NAME=VALUE", help="a template variable")
    ap.add_argument("--self-test", action="store_true")
    args = ap.parse_args()
    if args.self_test:
        return self_test()
    data = {}
    if args.scenario:
        data = json.load(sys.stdin if args.scenario == "-" else open(args.scenario, encoding="utf-8"))
    scenario = Scenario(data, dict(v.split("=", 1) for v in args.var))
    srv = Server((args.host, args.port), scenario, args.log, args.log_bodies)
    port = srv.server_address[1]
    if args.port_file:
        with open(args.port_file + ".tmp", "w") as f:
            f.write("%d\n" % port)
        os.replace(args.port_file + ".tmp", args.port_file)
    print("PORT=%d" % port, flush=True)

    def stop(*_):
        threading.Thread(target=srv.shutdown, daemon=True).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    timer = threading.Timer(args.max_seconds, stop)
    timer.daemon = True
    timer.start()
    if args.watch_pid:
        def watch():
            while True:
                try:
                    os.kill(args.watch_pid, 0)
                except ProcessLookupError:
                    return stop()
                except PermissionError:
                    pass
                time.sleep(1)
        threading.Thread(target=watch, daemon=True).start()
    srv.serve_forever(poll_interval=0.1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
