// Sends what happens in opencode to Nudge, and adds what Nudge answers to the context.
// It never throws and never waits long: without an answer, opencode goes on as if it were not there.
import { spawn, spawnSync } from "node:child_process"

// Nudge ends by itself long before.
const WITHIN_MS = 1500
// Tools whose call is known from its end alone.
const BUILT_IN = new Set(
  "bash read write edit multiedit patch apply_patch glob grep list webfetch websearch codesearch task todowrite todoread skill question".split(" "),
)

// No answer of Nudge is longer.
const LONGEST = 1 << 20

const contextOf = (answer) => {
  try {
    const { context } = JSON.parse(answer)
    return typeof context === "string" ? context : ""
  } catch {
    return ""
  }
}

// The answer of Nudge to an event; nothing where there is none in time.
const ask = (event) =>
  new Promise((resolve) => {
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
      let answer = ""
      const end = (text) => {
        clearTimeout(timer)
        child.stdout.destroy()
        resolve(text)
      }
      const stop = () => {
        child.kill("SIGKILL")
        end("")
      }
      const timer = setTimeout(stop, WITHIN_MS)
      child.on("error", () => end(""))
      child.on("close", () => end(contextOf(answer)))
      child.stdin.on("error", () => {})
      child.stdout.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (chunk) => {
        if (answer.length + chunk.length > LONGEST) return stop()
        answer += chunk
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve("")
    }
  })

// Whatever goes wrong in a hook stays in it.
const quietly = (hook) => async (input, output) => {
  try {
    await hook(input, output)
  } catch {}
}

// For the end of a turn, after which opencode may exit at once.
const tell = (event) => {
  try {
    spawnSync(COMMAND[0], COMMAND.slice(1), {
      input: JSON.stringify(event),
      stdio: ["pipe", "ignore", "ignore"],
      timeout: WITHIN_MS,
      killSignal: "SIGKILL",
    })
  } catch {}
}

export const Nudge = async ({ directory }) => {
  // What Nudge said at the start of each session, or the promise of it.
  const starts = new Map()
  // The sessions that are parts of others, and of which.
  const parents = new Map()
  // The messages of the agent, and the last text of each session.
  const messages = new Map()
  const lastTexts = new Map()

  const start = (sessionID, source) => {
    const input = { sessionID, source, parentID: parents.get(sessionID) }
    starts.set(sessionID, ask({ hook: "session.started", input, directory }))
  }
  const started = (sessionID) => {
    // A session that began before this process, or whose beginning was not seen.
    if (sessionID && !starts.has(sessionID)) start(sessionID, "resume")
    return starts.get(sessionID) ?? ""
  }
  const send = (hook, input, output) => ask({ hook, input, output, directory })

  const heard = {
    "session.created": ({ info, sessionID }) => {
      const id = sessionID ?? info?.id
      if (!id) return
      if (info?.parentID) parents.set(id, info.parentID)
      if (!starts.has(id)) start(id, "startup")
    },
    "session.compacted": ({ sessionID }) => sessionID && start(sessionID, "compact"),
    "message.updated": ({ info }) => {
      if (info?.role === "assistant") messages.set(info.id, info.sessionID)
    },
    "message.part.updated": ({ part }) => {
      if (part?.type === "text" && messages.has(part.messageID)) lastTexts.set(part.sessionID, part.text)
    },
    "session.idle": (properties) => {
      const message = lastTexts.get(properties.sessionID)
      const input = { type: "session.idle", properties: { ...properties, message } }
      tell({ hook: "event", input, directory })
    },
  }

  return {
    event: async ({ event }) => {
      try {
        heard[event.type]?.(event.properties ?? {})
      } catch {}
    },
    "chat.message": quietly(async (input, output) => {
      await started(input.sessionID)
      const text = await send("chat.message", input, output)
      if (!text) return
      const id = "prt_nudge" + Date.now().toString(36) + Math.random().toString(36).slice(2, 8)
      const { id: messageID } = output.message
      output.parts.push({ id, sessionID: input.sessionID, messageID, type: "text", text, synthetic: true })
    }),
    "experimental.chat.system.transform": quietly(async (input, output) => {
      // The title of a session is made in a call of its own, which needs nothing of us.
      if (!input.sessionID || output.system[0]?.startsWith("You are a title generator")) return
      const text = await started(input.sessionID)
      if (text) output.system.push(text)
    }),
    "tool.execute.before": quietly(async (input, output) => {
      if (!BUILT_IN.has(input.tool)) await send("tool.execute.before", input, output)
    }),
    "tool.execute.after": quietly(async (input, output) => {
      const text = await send("tool.execute.after", input, output)
      if (text && typeof output.output === "string") output.output += "\n\n" + text
    }),
    "experimental.session.compacting": quietly(async (input, output) => {
      const text = await send("experimental.session.compacting", input, {})
      if (text) output.context.push(text)
    }),
  }
}
