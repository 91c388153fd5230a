// How the parts of a session are named.
import { path, project, query } from '../../state';
import { span } from '../../ui';

const HOUR: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };
export const clock = (at: string) => new Date(at).toLocaleTimeString('en-GB', HOUR);
export const dayOf = (at: string) => new Date(at).toLocaleDateString('en-GB', { weekday: 'short', day: 'numeric', month: 'short' });
const isSameDay = (a: string, b: string) => new Date(a).toDateString() === new Date(b).toDateString();

/** The time, and the day if it is another one than today. */
export const moment = (at: string) => (isSameDay(at, new Date().toISOString()) ? clock(at) : `${dayOf(at)}, ${clock(at)}`);
export const fromTo = (from: string, to: string) => (isSameDay(from, to) ? `${moment(from)} to ${clock(to)}` : `${moment(from)} to ${moment(to)}`);
export const pauseOf = (from: string, to: string) => `${span(Date.parse(to) - Date.parse(from))} later${isSameDay(from, to) ? '' : `, ${dayOf(to)}`}`;

export function tookWords(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return seconds < 3_600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** A path below the project's directory. */
export function short(file: string, root?: string | null): string {
  if (root && file.startsWith(`${root}/`)) return file.slice(root.length + 1);
  const parts = file.split('/').filter(Boolean);
  return file.startsWith('/') && parts.length > 3 ? `…/${parts.slice(-3).join('/')}` : file;
}

const CAUSES: Record<string, string> = {
  startup: 'at the start', fork: 'at the start of a copy', resume: 'when it was resumed', clear: 'after the context was cleared', compact: 'after a compaction',
  prompt: 'with your prompt', before_tool: 'before an action', after_tool: 'after an action', subagent: 'to a subagent', outcome: 'after a run decided a hypothesis',
};
export const causeOf = (cause: string) => CAUSES[cause] ?? cause;

// Applets are in the address: which one is open, and its parameters.

type Pair = [name: string, value: string];
/** Names of the address that belong to no applet. */
const OWN = new Set(['applet', 'p', 'of']);

/** The address of this page with an applet, or without one. */
export function appletLink(slug: string | null, pairs: Pair[] = []): string {
  const of = query.value.get('of'), all: Pair[] = project.value === '*' ? of ? [['of', of]] : [] : [['p', project.value]];
  if (slug !== null) all.push(['applet', slug], ...pairs.filter(([name]) => !OWN.has(name)));
  return path.value + (all.length ? `?${all.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}` : '');
}
export const fileLink = (file: string) => appletLink('text-editor', [['path', file]]);

/** What a context set says: a slug, then `key=value`. */
export function pairOf(item: string): Pair {
  const at = item.indexOf('=');
  return at < 0 ? [item, ''] : [item.slice(0, at), item.slice(at + 1)];
}
export interface Open { slug: string; pairs: Pair[] }
export function openApplet(query: URLSearchParams): Open | null {
  const slug = query.get('applet');
  return slug ? { slug, pairs: [...query].filter(([name]) => !OWN.has(name)) } : null;
}
export const itemsOf = ({ slug, pairs }: Open) => [slug, ...pairs.map((pair) => pair.join('='))];
