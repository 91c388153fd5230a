// The server: who is signed in, calls of operations, and live events.
//
// A call needs two halves: the cookie, which the browser sends, and the key, which only this page
// can read. The key is in the storage of this address, so another port never has it.
import { signal } from '@preact/signals';
import type { Operations } from './api';
import { kept, replace } from './state';

/** Why a call failed, and what to do about it. */
export class Fault extends Error {
  /** `at` is the position of what is wrong in a text, in characters. */
  constructor(readonly reason: string, message: string, readonly next?: string, readonly at?: number) { super(message); }
}

const KEY = 'key';
type SignedIn = 'unknown' | 'no' | 'yes';
export const signedIn = signal<SignedIn>(kept.get(KEY) ? 'unknown' : 'no');
/** Why a sign-in link did not work. */
export const signInFault = signal<Fault | null>(null);
export const readOnly = signal(false);
export const version = signal('');

interface Session { key?: string; read_only: boolean; version: string; position: number | null }

const faultOf = (body: unknown, status: number): Fault => {
  const error = (body as { error?: { message?: string; next?: string; data?: { reason?: string; next?: string; at?: number } } } | null)?.error;
  const reason = error?.data?.reason ?? `status_${status}`;
  return new Fault(reason, error?.message ?? `the server answered with status ${status}`, error?.data?.next ?? error?.next, error?.data?.at);
};

async function send(method: string, to: string, body?: unknown, keepalive = false): Promise<unknown> {
  const headers: Record<string, string> = {};
  const key = kept.get(KEY);
  if (key) headers['X-Nudge-Key'] = key;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(to, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store', keepalive });
  } catch {
    throw new Fault('no_server', 'the server does not answer', 'it starts with the next command or agent; or run `nudge ui`');
  }
  const answer: unknown = await response.json().catch(() => null);
  if (response.status === 401) forget();
  if (!response.ok) throw faultOf(answer, response.status);
  return answer;
}

function forget() {
  kept.set(KEY, null);
  signedIn.value = 'no';
  disconnect();
}

/** This page is of the version that it was loaded from; another one must be loaded again. */
const note = (its: string) => { version.value ||= its; isOld.value ||= its !== '' && its !== version.value; };

function welcome(session: Session) {
  readOnly.value = session.read_only;
  note(session.version);
  // What is read from now on may miss what happens until the connection stands.
  position ??= session.position;
  signedIn.value = 'yes';
  connect();
}

/** Signs in with the code in the address, or with the key that is kept. */
export async function begin() {
  const code = location.pathname === '/login' ? location.hash.slice(1) : '';
  if (location.pathname === '/login') replace('/');
  try {
    if (code) {
      const session = await send('POST', '/ui/session', { code }) as Session;
      kept.set(KEY, session.key ?? null);
      welcome(session);
    } else if (kept.get(KEY)) {
      welcome(await send('GET', '/ui/session') as Session);
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    signInFault.value = error;
    if (error.reason === 'no_server' && kept.get(KEY)) { signedIn.value = 'yes'; connect(); return; }
    if (code && kept.get(KEY)) { signInFault.value = null; await begin(); return; }
    forget();
  }
}

export async function signOut() {
  await send('DELETE', '/ui/session').catch(() => undefined);
  forget();
}

let lastId = 0;

/** Calls an operation. */
export async function call<Name extends keyof Operations>(method: Name, params: Operations[Name]['params']): Promise<Operations[Name]['result']> {
  const id = ++lastId;
  const answer = await send('POST', '/rpc', { jsonrpc: '2.0', id, method, params }) as { result?: unknown; error?: unknown };
  if (answer.error) throw faultOf(answer, 200);
  return answer.result as Operations[Name]['result'];
}

const sessionAt = (id: string) => `/api/sessions/${encodeURIComponent(id)}`;

/** A session with its context sets. */
export const readSession = (id: string) => send('GET', sessionAt(id)) as Promise<Operations['get_session']['result']>;

/** What `nudge NAME --json` prints. */
export const readCommand = <Answer>(name: 'doctor' | 'status' | 'config') => send('GET', `/ui/commands/${name}`) as Promise<Answer>;

/** Whether everything is paused, until when (in ms), and how many other pauses there are. */
export interface Pause { paused: boolean; until: number | null; others: number }
export const readPause = () => send('GET', '/ui/pause') as Promise<Pause>;
export const pauseFor = (minutes: number) => send('POST', `/ui/pause?minutes=${minutes}`) as Promise<Pause>;
export const recordAgain = () => send('DELETE', '/ui/pause') as Promise<Pause>;

/** A browser that is signed in; times in ms. */
export interface Browser { id: string; browser: string; read_only: boolean; since: number; used: number; is_this: boolean }
export const readBrowsers = () => send('GET', '/ui/sessions') as Promise<{ browsers: Browser[] }>;
export const endBrowser = (id: string) => send('DELETE', `/ui/sessions/${id}`);

/** Deletes an observation or a prompt from everything that Nudge keeps. */
export const deleteForGood = (id: number) => send('DELETE', `/ui/entries/${id}`) as Promise<{ deleted: number; index_cleared: boolean; backups_left: number }>;

/** Notes which applet was open, also while the page goes away: nobody waits for the answer. */
export function noteApplet(id: string, items: string[]) {
  if (readOnly.value || signedIn.value !== 'yes') return;
  void send('PATCH', sessionAt(id), { setContext: { setName: 'applet', items } }, true).catch(() => undefined);
}

// Live events come over one WebSocket for each tab, from the position of the last one.

/** Since when what is shown may be old; `null` while the connection stands. */
export const lostSince = signal<number | null>(null);
/** Whether the server is another version than this page. */
export const isOld = signal(false);

export interface SessionEvent { sessionId?: string; reason?: string; position?: number; unobservedCount?: number; context?: Record<string, string[]>; scope?: { kind: string; key: string } }
export interface Change { position: number; scheme: string; kind: string }
type Listener = (method: string, event: SessionEvent & Partial<Change>) => void;
const listeners = new Set<Listener>();

/** Hears every event until the returned function is called. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => { listeners.delete(listener); };
}

/** A hidden tab keeps its connection this long. */
const HIDDEN_FOR = 60_000;
/** How soon, and then how often, a lost server is asked whether it is back. */
const AT_FIRST = 250, EVERY = 1_000;
let socket: WebSocket | null = null;
let position: number | null = null;
let hasHeard = false;
let retry: ReturnType<typeof setTimeout> | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;

const tell: Listener = (method, event) => { for (const listener of listeners) listener(method, event); };

function connect() {
  clearTimeout(retry);
  const key = kept.get(KEY);
  if (socket || !key || signedIn.value === 'no' || document.hidden) return;
  const opened = new WebSocket(`ws://${location.host}/ws`, ['nudge.v1', `key.${key}`]);
  socket = opened;
  opened.onopen = () => {
    const since = position === null ? {} : { since: position };
    opened.send(JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method: 'subscribe', params: { sessions: true, ...since } }));
    for (const text of unsent.splice(0)) opened.send(text);
  };
  opened.onmessage = (message) => hear(JSON.parse(message.data as string));
  opened.onclose = (closed) => {
    if (socket !== opened) return;
    socket = null;
    unbind();
    // A session that was ended is no lost connection.
    if (closed.code === 1008) { void ask(); return; }
    const again = lostSince.value !== null;
    lostSince.value ??= Date.now();
    later(again ? EVERY : AT_FIRST);
  };
}

function disconnect() {
  clearTimeout(retry);
  const closing = socket;
  socket = null;
  unbind();
  closing?.close();
  lostSince.value = null;
}

const later = (pause: number) => { clearTimeout(retry); retry = setTimeout(() => void ask(), pause); };

/**
 * Asks whether the server is back and this browser still signed in, and connects. A socket would say
 * neither why it failed, nor soon that it works again: browsers hold back those to where many failed.
 */
async function ask() {
  clearTimeout(retry);
  try { welcome(await send('GET', '/ui/session') as Session); } catch {
    // A refusal signs out by itself.
    if (signedIn.value !== 'yes' || document.hidden) return;
    lostSince.value ??= Date.now();
    later(EVERY);
  }
}

interface Message { id?: number; method?: string; result?: { position?: number }; error?: unknown; params?: Record<string, unknown> }

function hear(message: Message) {
  const { method, result, params } = message, reply = replies.get(message.id ?? 0);
  if (reply) { replies.delete(message.id ?? 0); reply(message); return; }
  if (typeof result?.position === 'number') {
    const again = lostSince.value !== null || hasHeard;
    hasHeard = true;
    position ??= result.position;
    lostSince.value = null;
    if (again) tell('back', {});
    return;
  }
  if (method === 'nudge/hello') {
    note(String(params?.version ?? ''));
    return;
  }
  if (method === 'feed/gone') position = Number(params?.head);
  else if (typeof params?.position === 'number') position = Math.max(position ?? 0, params.position);
  if (method) tell(method, params ?? {});
}

// Runs and verbs work in a directory, which a connection names first.

/** What waits for an answer over the connection, and what was not sent yet. */
const replies = new Map<number, (message: Message) => void>();
const unsent: string[] = [];
/** The directory that the connection is bound to. */
let place: string | null = null;
let turn: Promise<unknown> = Promise.resolve();

function unbind() {
  place = null;
  unsent.length = 0;
  const left = [...replies.values()];
  replies.clear();
  for (const reply of left) reply({ error: { message: 'the connection to the server was lost', data: { reason: 'no_server', next: 'it comes back by itself; then look whether it was done' } } });
}

const over = (method: string, params: unknown) => new Promise((resolve, reject: (fault: Fault) => void) => {
  if (!socket && lostSince.value !== null) { reject(new Fault('no_server', 'the server does not answer', 'it starts with the next command or agent; or run `nudge ui`')); return; }
  const id = ++lastId, text = JSON.stringify({ jsonrpc: '2.0', id, method, params });
  replies.set(id, (message) => { if (message.error) reject(faultOf(message, 200)); else resolve(message.result); });
  if (socket?.readyState === WebSocket.OPEN) socket.send(text); else unsent.push(text);
});

/** Calls an operation in a directory. From then on the connection hears of the runs of its project. */
export function callIn<Name extends keyof Operations>(root: string, method: Name, params: Operations[Name]['params']): Promise<Operations[Name]['result']> {
  // A call is sent before the next one may bind the connection to another directory.
  const sent = turn.then(async () => {
    if (place !== root) {
      place = null;
      await over('init', { name: 'page', projectRoot: root }).catch((error: unknown) => {
        // Of an imported project: its directory was elsewhere, or is gone.
        throw error instanceof Fault && error.reason === 'project_root' ? new Fault('project_root', `${root} is not on this machine`, 'Search and Sessions show what was done there.') : error;
      });
      place = root;
    }
    return [over(method, params)];
  });
  turn = sent.catch(() => undefined);
  return sent.then(([answer]) => answer as Promise<Operations[Name]['result']>);
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(disconnect, HIDDEN_FOR);
  else if (lostSince.value === null) connect(); else void ask();
});
