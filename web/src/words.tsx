// Words for what the server names: kinds of entries, causes, who stated something.
import { Fault } from './server';
import { now, say } from './state';
import { when } from './ui';

const KINDS: Record<string, string> = {
  command_error: 'failed command', command: 'command', user_prompt: 'prompt', agent_thought: 'agent’s note', system_note: 'note of a program',
  file_edit: 'edit', file_write: 'written file', file_read: 'read file', git_commit: 'commit', git_push: 'push', conclusion: 'conclusion',
  statement: 'statement', hint: 'hint', memory: 'imported memory', session_summary: 'summary', hypothesis: 'hypothesis', value: 'lesson',
  search: 'search of files', mcp_call: 'tool', tool_other: 'tool', web_fetch: 'web page', web_search: 'web search', task_spawn: 'subagent',
  marker: 'mark', session_start: 'session start', session_end: 'session end', session_compact: 'compaction',
};
export const kindOf = (type: string) => KINDS[type] ?? type.replaceAll('_', ' ');

const CAUSES: Record<string, string> = {
  startup: 'Session start', fork: 'Start of a copy', resume: 'Session resumed', clear: 'Context emptied', compact: 'Context compacted', prompt: 'With a prompt',
  before_tool: 'Before a command', after_tool: 'After a command', subagent: 'Start of a subagent', outcome: 'Result of a hypothesis',
};
export const causeOf = (cause: string) => CAUSES[cause] ?? cause.replaceAll('_', ' ');

/** Who stated something, to the user. */
export const whom = (by: string) => by.replace(/^the person\b/, 'you');

/** What the server says of the user, said to the user. */
export const toYou = (text: string) => text.replace(/\bthe user[’']s\b/g, 'your').replace(/\bthe user\b/g, 'you');

/** What an injected line is about: the kind that it begins with, in words. */
export const about = (what: string) => what.replace(/^(conclusion|[a-z]+_[a-z_]+) (?=\S)/, (name, kind: string) => (kind in KINDS ? `${KINDS[kind]}: ` : name));

/** A sentence begins with a capital letter. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
export const sentence = (text: string) => capital(text.trim()).replace(/[^.!?…:]$/, '$&.');

export const short = (session: string) => (session.length > 12 ? session.slice(0, 8) : session);

/** A time, as short as it can be said. */
export const At = ({ at, class: its = 'time' }: { at: string; class?: string }) => <time class={its} dateTime={at}>{when(at, now.value)}</time>;
/** The day and the time. */
export const dayAndTime = (at: string) => {
  const shown = when(at, now.value);
  return shown.includes(':') ? `today ${shown}` : `${shown} ${new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}`;
};

/** Does something, and says why if it cannot be done. Tells whether it was done. */
export async function attempt(act: () => Promise<unknown>): Promise<boolean> {
  try { await act(); return true; } catch (error) {
    if (!(error instanceof Fault)) throw error;
    say(error.next ? `${sentence(error.message)} ${sentence(error.next)}` : sentence(error.message));
    return false;
  }
}
