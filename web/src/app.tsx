// The shell: the rail, the project picker, keys, and the state of the connection.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { Ask } from './pages/ask';
import { Entries } from './pages/entries';
import { Failures } from './pages/failures';
import { Got } from './pages/got';
import { Health } from './pages/health';
import { Memory } from './pages/memory';
import { Review } from './pages/review';
import { Search } from './pages/search';
import { Session } from './pages/session';
import { Sessions } from './pages/sessions';
import { Settings } from './pages/settings';
import { Today } from './pages/today';
import { Recording } from './pause';
import { proposals, useProposals } from './proposals';
import { begin, isOld, lostSince, readOnly, signedIn, signInFault, signOut, version } from './server';
import { address, go, help, keysOn, link, linkWith, menu, pageKeys, pageTitle, path, project, query, setKeys, setTheme, theme, toast, undo, type Theme } from './state';
import { Icon, Trouble, useAnswer } from './ui';

type Item = { to: string; label: string; icon: string; key: string };
const NAV: { group: string; items: Item[] }[] = [
  { group: 'Now', items: [{ to: '/', label: 'Today', icon: 'today', key: 't' }, { to: '/sessions', label: 'Sessions', icon: 'sessions', key: 's' }, { to: '/review', label: 'Review', icon: 'review', key: 'r' }] },
  { group: 'Find', items: [{ to: '/search', label: 'Search', icon: 'look', key: 'q' }, { to: '/failures', label: 'Failures', icon: 'failures', key: 'f' }, { to: '/ask', label: 'Ask', icon: 'ask', key: 'a' }] },
  { group: 'Memory', items: [{ to: '/memory', label: 'Rules and hints', icon: 'note', key: 'm' }, { to: '/got', label: 'What agents got', icon: 'given', key: 'w' }, { to: '/entries', label: 'Entries', icon: 'entries', key: 'e' }] },
  { group: 'System', items: [{ to: '/doctor', label: 'Health', icon: 'health', key: 'h' }, { to: '/settings', label: 'Settings', icon: 'settings', key: 'c' }] },
];
/** The tabs of a narrow window; the sheet has the others. */
const TABS = ['/', '/sessions', '/search', '/review'];
const ITEMS = NAV.flatMap((g) => g.items);
const here = (to: string) => path.value === to || (to === '/sessions' && path.value.startsWith('/s/')) || (to === '/ask' && path.value.startsWith('/ask/'));

/** Follows a link inside the page without loading it again. */
addEventListener('click', (e) => {
  const a = (e.target as Element | null)?.closest?.('a');
  if (!a || e.defaultPrevented || e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey || a.origin !== location.origin || a.hash || a.target) return;
  e.preventDefault();
  menu.value = false;
  go(a.pathname + a.search);
});

function Picker() {
  const { answer } = useAnswer('list_projects', () => ({}), (method) => method === 'session.listChanged');
  const names = [...new Set((answer.value?.projects ?? []).filter((p) => p.sessions > 0).map((p) => p.name))].sort();
  // A project from the address may be private: naming it shows it.
  if (project.value !== '*' && !names.includes(project.value)) names.unshift(project.value);
  return (
    <label class="project"><span class="visually-hidden">Project</span>
      <select value={project.value} onChange={(e) => go(linkWith(path.value, { ...Object.fromEntries(query.value), p: null, id: null, at: null }, e.currentTarget.value))}>
        <option value="*">All projects</option>
        {names.map((name) => <option key={name} value={name}>{name}</option>)}
      </select>
    </label>
  );
}

/** How many proposals wait for the user. */
function Waiting() {
  const waiting = proposals.value?.length ?? 0;
  return waiting > 0 ? <span class="count">{waiting}<span class="visually-hidden"> waiting</span></span> : null;
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const THEME: Record<Theme, string> = { system: 'System theme', light: 'Light', dark: 'Dark' };

function Rail() {
  useProposals();
  return (
    <nav class={`rail ${menu.value ? 'open' : ''}`} id="rail" aria-label="Main">
      <a class="brand" href={link('/')}><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><path d="M4 10h8M9 6l4 4-4 4M16.5 4v12" /></svg>nudge</a>
      <button class="quiet sheet-close" aria-label="Close" onClick={() => { menu.value = false; }}><Icon name="close" /></button>
      <Picker />
      {NAV.map(({ group, items }) => (
        <div class="group" key={group}>
          <h2>{group}</h2>
          <ul>{items.map(({ to, label, icon }) => (
            <li key={to}><a href={link(to)} aria-current={here(to) ? 'page' : undefined}><Icon name={icon} />{label}{to === '/review' && <Waiting />}</a></li>))}</ul>
        </div>
      ))}
      <div class="rail-foot">
        <Recording />
        <p><span class={`dot ${lostSince.value === null ? 'live' : ''}`} aria-hidden="true" />{lostSince.value === null ? 'Live' : 'Not connected'}{readOnly.value && ' · read only'} · {version.value}</p>
        <p class="muted"><button class="link" onClick={() => setTheme(NEXT[theme.value])}>{THEME[theme.value]}</button> · <button class="link" onClick={() => void signOut()}>Sign out</button></p>
      </div>
    </nav>
  );
}
const Tabs = () => (
  <nav class="tabs" aria-label="Pages">
    {TABS.map((tab) => ITEMS.find(({ to }) => to === tab) as Item).map(({ to, label, icon }) => (
      <a key={to} href={link(to)} aria-current={here(to) ? 'page' : undefined}><Icon name={icon} /><span>{label}{to === '/review' && <Waiting />}</span></a>))}
    <button onClick={() => { menu.value = !menu.value; }} aria-expanded={menu.value} aria-controls="rail"><Icon name="menu" /><span>More</span></button>
  </nav>
);
function Page() {
  if (path.value === '/') return <Today />;
  if (path.value === '/sessions') return <Sessions />;
  if (path.value.startsWith('/s/')) return <Session />;
  if (path.value === '/review') return <Review />;
  if (path.value === '/search') return <Search />;
  if (path.value === '/got') return <Got />;
  if (path.value === '/memory') return <Memory />;
  if (path.value === '/failures') return <Failures />;
  if (path.value === '/entries') return <Entries />;
  if (path.value === '/doctor') return <Health />;
  if (path.value === '/settings') return <Settings />;
  if (here('/ask')) return <Ask />;
  return <div class="page"><h1>There is no such page</h1><p><a href={link('/')}>Go to Today</a></p></div>;
}

const KEYS: [string[], string][] = [
  [['/'], 'search'], ...ITEMS.map(({ key, label }): [string[], string] => [['g', key], label]), [['j', 'k'], 'next, previous row'], [['Enter'], 'open the row'],
  [['[', ']'], 'Session: previous, next prompt'], [['x'], 'Session: only failures'],
  [['a', 'd', 'e'], 'Review: accept, drop, reword'], [['u'], 'take the last decision back'], [['Esc'], 'close, leave a field'], [['?'], 'this list'],
];
function Help() {
  useEffect(() => { if (help.value) document.querySelector<HTMLElement>('.dialog')?.focus(); }, [help.value]);
  if (!help.value) return null;
  return (
    <div class="veil" onClick={() => { help.value = false; }}>
      <div class="dialog" role="dialog" aria-modal="true" aria-labelledby="keys-title" tabIndex={-1} onClick={(e) => e.stopPropagation()}>
        <h2 id="keys-title">Keys</h2>
        <dl class="keys">{KEYS.map(([keys, what]) => <div key={what}><dt>{keys.map((k) => <kbd key={k}>{k}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
        <p class="muted"><button onClick={() => { setKeys(!keysOn.value); help.value = false; }}>{keysOn.value ? 'Turn single keys off' : 'Turn single keys on'}</button></p>
      </div>
    </div>
  );
}

function Stale() {
  if (isOld.value) return <p class="stale" role="status">The server was updated. <button onClick={() => location.reload()}>Reload</button></p>;
  if (lostSince.value === null) return null;
  const at = new Date(lostSince.value).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
  return <p class="stale" role="status">The server does not answer. This page is as of {at}, and connects again by itself.</p>;
}

function SignedOut() {
  const fault = signInFault.value;
  return (
    <main class="lone" id="main"><div class="empty"><h1>This browser is not signed in</h1>
      {fault && fault.reason !== 'signed_out' && <Trouble fault={fault} />}
      <p class="muted">Your memory stays closed to web pages, other users and agents. Run this in your terminal; it opens a link that works once.</p>
      <p class="command"><code>nudge ui</code></p>
      <p class="muted">Signed in before? A browser stays signed in for 30 days after its last use. <code>nudge token rotate</code> signs every browser out.</p></div></main>
  );
}

// The place in a page is kept with its step in the history, so that going back leads to it.
const scrolled = () => Number((history.state as { top?: number } | null)?.top ?? 0);
let keeping: ReturnType<typeof setTimeout> | undefined;
addEventListener('scroll', (e) => {
  const main = e.target as HTMLElement;
  if (main.id !== 'main') return;
  clearTimeout(keeping);
  const its = address.value;
  keeping = setTimeout(() => { if (address.value === its) history.replaceState({ ...history.state as object | null, top: main.scrollTop }, ''); }, 100);
}, { capture: true, passive: true });

function search(e: SubmitEvent) {
  e.preventDefault();
  const form = e.currentTarget as HTMLFormElement, q = String(new FormData(form).get('q') ?? '').trim();
  form.reset();
  go(linkWith('/search', { q }));
}

function App() {
  const title = signedIn.value === 'no' ? 'Sign in' : pageTitle.value ?? ITEMS.find(({ to }) => here(to))?.label ?? 'Nudge';
  useEffect(() => { document.title = `${title} · Nudge`; document.getElementById('main')?.scrollTo(0, scrolled()); }, [address.value, title]);
  useEffect(() => { undo.value = null; }, [path.value]);
  if (signedIn.value === 'unknown') return <main class="lone" aria-busy="true"><h1 class="visually-hidden">Nudge</h1></main>;
  if (signedIn.value === 'no') return <SignedOut />;
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.getElementById('main')?.focus(); }}>Skip to the page</a>
      <Rail />
      <header class="top">
        <form role="search" hidden={path.value === '/search'} onSubmit={search}>
          <Icon name="look" /><input name="q" type="search" aria-label="Search memory" placeholder="Search what agents did" autocomplete="off" maxLength={2000} /><kbd>/</kbd>
        </form>
        <span class="push" />
        <button class="quiet" onClick={() => { help.value = true; }}>Keys <kbd>?</kbd></button>
      </header>
      <Stale />
      <main id="main" tabIndex={0}><Page /></main>
      <Tabs />
      {menu.value && <div class="veil under" onClick={() => { menu.value = false; }} />}
      <div class="toast" role="status" aria-live="polite">{toast.value && <p>{toast.value.text}{toast.value.undo && <button class="link" onClick={toast.value.undo}>Undo</button>}</p>}</div>
      <Help />
    </div>
  );
}

// Single keys.
let g = false;
addEventListener('keydown', (e) => {
  const at = e.target as HTMLElement;
  if (e.key === 'Escape') { help.value = false; menu.value = false; at.blur?.(); return; }
  if (!keysOn.value || signedIn.value !== 'yes' || e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName)) return;
  if (g) {
    g = false;
    const item = ITEMS.find((i) => i.key === e.key);
    if (item) { e.preventDefault(); go(link(item.to)); }
    return;
  }
  if (e.key === 'g') { g = true; setTimeout(() => { g = false; }, 1200); return; }
  if (e.key === '?') help.value = true;
  if (help.value || menu.value) return;
  if (e.key === '/') { e.preventDefault(); document.querySelector<HTMLInputElement>('main input[type=search], .top form:not([hidden]) input')?.focus(); }
  if (e.key === 'u' && undo.value) { undo.value(); return; }
  for (const use of pageKeys) if (use(e.key)) { e.preventDefault(); return; }
  if (e.key === 'j' || e.key === 'k') {
    const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')], focused = rows.indexOf(document.activeElement as HTMLElement);
    // Where nothing has the focus, the row that is shown counts.
    const n = focused < 0 ? rows.findIndex((row) => row.ariaPressed === 'true') : focused;
    rows[Math.max(0, Math.min(rows.length - 1, n + (e.key === 'j' ? 1 : -1)))]?.focus();
  }
});
render(<App />, document.getElementById('app') as HTMLElement);
void begin();
