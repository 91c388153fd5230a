// Entries: everything in memory by its path, with its body and its versions.
import { useSignal, useSignalEffect } from '@preact/signals';
import type { Operations } from '../api';
import { DeleteForGood } from '../delete';
import { callAt } from '../places';
import { call, Fault, readOnly } from '../server';
import { go, isNarrow, link, linkWith, project, query, replace, say } from '../state';
import { count, number, Trouble, useAnswer, useFound } from '../ui';
import { attempt, capital, dayAndTime, kindOf, short, whom } from '../words';
import { Versions } from './versions';

type List = Operations['get_entries']['result'];
type Entry = List['entries'][number];
type Page = List & { texts: Map<number, string> };

const PAGE = 100, MOST = 600;
/** How many lines of a body are shown at first. */
const LINES = 2000, ALL_LINES = 10_000_000, ALL_TOKENS = 4_294_967_295;
const EXAMPLES: [string, string][] = [
  ['known://**', 'statements and knowledge'], ['hint://**', 'hints'], ['obs://**', 'what agents did'], ['known://fact/**', 'one kind of statement'], ['/known:.*auth.*/', 'a regular expression'], ['src/**', 'files of the project'],
];
const to = (path: string, at = '') => linkWith('/entries', { path, at });
const isChange = (method: string) => method === 'entry/changed';
const idOf = ({ path, id }: Entry) => (/^(obs|prompt):\/\//.test(path) ? id ?? null : null);

const Left = ({ entry }: { entry: Entry }) => {
  const { path, id, state, outcome, visibility, version, tokens, stated_by: by, updated_at: at, scope } = entry;
  const facts = [by && whom(by), at && dayAndTime(at), scope === 'global' && 'for all projects', state !== 'resolved' && `${state}${outcome ? ` (${outcome})` : ''}`, visibility, version && version > 1 && `version ${version}`, `${tokens.estimated ? 'about ' : ''}${count(tokens.visible, 'token')}`, id && !path.endsWith(`/${id}`) && `#${id}`];
  return <span class="facts-line">{facts.filter(Boolean).join(' · ')}</span>;
};

/** What an observation or prompt is, and what can be done with it. */
function OfObservation({ id, onGone }: { id: number; onGone: () => void }) {
  const { answer, fault, again } = useAnswer('get_observations', () => ({ ids: [id] }), () => false);
  const its = answer.value?.[0], isPinned = its?.metadata.is_pinned === true;
  const pin = () => attempt(async () => {
    await call(isPinned ? 'unpin' : 'pin', { ids: [id] });
    say(isPinned ? 'Unpinned: retention applies to it again.' : 'Pinned: it is kept for ever.');
    again();
  });
  if (fault.value) return <Trouble fault={fault.value} />;
  return its ? (
    <p class="actions">{its.session_id && <a class="button" href={link(`/s/${encodeURIComponent(its.session_id)}`)}>Open session {short(its.session_id)}</a>}
      {!readOnly.value && <button onClick={() => void pin()}>{isPinned ? 'Unpin' : 'Pin'}</button>}
      <DeleteForGood id={id} what={`${capital(kindOf(its.obs_type))}: ${its.content}`} onDone={onGone} /></p>
  ) : null;
}

function Whole({ path, where, onGone }: { path: string; where: string; onGone: () => void }) {
  const lines = useSignal(LINES);
  const { answer, fault, isBusy } = useFound(() => callAt(where, 'get', { path, line: 1, limit: lines.value, max_tokens: ALL_TOKENS }), isChange);
  const [entry] = answer.value?.entries ?? [], failed = answer.value?.failed, observed = entry && idOf(entry), rest = (entry?.lines?.of ?? 0) - (entry?.lines?.count ?? 0);
  const [, component, key] = /^hint:\/\/([^/]+)\/([^/#?]+)/.exec(path) ?? [];
  return (
    <article class="card entry" aria-labelledby="entry-path" aria-busy={isBusy.value}>
      <h2 id="entry-path"><code>{path}</code></h2>
      {fault.value && <Trouble fault={fault.value} />}
      {failed && <div class="fault" role="status"><p>{failed.why ?? failed.outcome}</p>{failed.next && <p>{failed.next}</p>}</div>}
      {entry && <><p class="muted"><Left entry={entry} /></p>
        {entry.summary && <p class="whole">{entry.summary}</p>}
        {entry.withheld && <p class="quiet-row">Not shown: {entry.withheld}.</p>}
        {entry.body != null && <pre class="out" tabIndex={0} aria-label="Body">{entry.body || '(empty)'}</pre>}
        {rest > 0 && <p><button onClick={() => { lines.value = ALL_LINES; }}>Show {count(rest, 'more line')}</button></p>}
        {entry.attributes && <details><summary>Attributes</summary><pre class="out" tabIndex={0} aria-label="Attributes">{JSON.stringify(entry.attributes, null, 2)}</pre></details>}
        {component && key && !entry.withheld && <><h3>Versions</h3><Versions component={decodeURIComponent(component)} key_={decodeURIComponent(key)} /></>}
        {observed != null && <OfObservation id={observed} onGone={onGone} />}</>}
    </article>
  );
}

/** What entries say, in short: a list of paths says little. */
async function firstLines(entries: Entry[]): Promise<Map<number, string>> {
  const ids = entries.flatMap(({ id }) => (id == null ? [] : [id]));
  if (!ids.length) return new Map();
  const found = await call('get_observations', { ids }).catch(() => []);
  return new Map(found.map(({ id, obs_type: type, content }) => [id, `${type === 'statement' ? '' : `${kindOf(type)}: `}${content.trimStart().split('\n')[0].slice(0, 300)}`]));
}
async function list(where: string, pattern: string, after?: string | null) {
  const found = await callAt(where, 'get_entries', { pattern, limit: PAGE, after });
  return { ...found, texts: await firstLines(found.entries) };
}

function Listed({ pattern, where }: { pattern: string; where: string }) {
  const { answer, fault, isBusy, again } = useFound(() => list(where, pattern), isChange);
  const older = useSignal<Page | null>(null);
  const trouble = useSignal<Fault | null>(null);
  useSignalEffect(() => { void answer.value; older.value = null; });
  const first = answer.value, last = older.value ?? first, entries = [...(first?.entries ?? []), ...(older.value?.entries ?? [])];
  const more = async () => {
    try {
      const page = await list(where, pattern, last?.next);
      older.value = { ...page, entries: [...(older.value?.entries ?? []), ...page.entries], texts: new Map([...(older.value?.texts ?? []), ...page.texts]) };
      trouble.value = null;
    } catch (error) { if (error instanceof Fault) trouble.value = error; }
  };
  const textOf = ({ id }: Entry) => id != null && (first?.texts.get(id) ?? older.value?.texts.get(id));
  const at = query.value.get('at'), shown = at ?? (entries.length === 1 ? entries[0].path : null);
  const close = () => { replace(to(pattern)); again(); };
  const whole = shown && <Whole key={shown} path={shown} where={where} onGone={close} />;
  return (
    <>
      <p class="muted" role="status">{first && !first.failed && (first.matched === 0 ? `Nothing in ${where} has a path like this.` : `${number(first.matched)} ${first.matched === 1 ? 'entry' : 'entries'} in ${where}`)}</p>
      {fault.value && <Trouble fault={fault.value} />}
      {first?.failed && <div class="fault" role="status"><p>{first.failed.why}</p>{first.failed.next && <p>{first.failed.next}</p>}</div>}
      <div class={whole && !isNarrow.value ? 'split' : ''} aria-busy={isBusy.value}>
        <div><ul class="rows picks">{entries.map((entry) => (
          <li key={`${entry.path} ${entry.id}`}><button class="row entry-row" data-row data-path={entry.path} {...(isNarrow.value ? { 'aria-expanded': shown === entry.path } : { 'aria-pressed': shown === entry.path })} onClick={() => replace(isNarrow.value && at === entry.path ? to(pattern) : to(pattern, entry.path))}>
            <span class="grow"><code>{entry.path}</code>{textOf(entry) && <span class="step">{textOf(entry)}</span>}<Left entry={entry} /></span></button>
            {isNarrow.value && shown === entry.path && whole}</li>))}</ul>
          {trouble.value && <Trouble fault={trouble.value} />}
          {last?.next && entries.length < MOST && <p class="more"><button onClick={() => void more()}>Show more</button></p>}</div>
        {!isNarrow.value && whole}
      </div>
    </>
  );
}

/** Entries belong to a project. */
function Choose({ pattern }: { pattern: string }) {
  const { answer, fault } = useAnswer('list_projects', () => ({}), (method) => method === 'session.listChanged');
  const names = [...new Set((answer.value?.projects ?? []).filter((p) => p.sessions > 0 && !p.private).map((p) => p.name))].sort();
  if (fault.value) return <Trouble fault={fault.value} />;
  if (!answer.value) return null;
  return names.length
    ? <><p class="muted">Entries are read in a project. Choose one:</p><ul class="rows choose">{names.map((name) => <li key={name}><a class="row" data-row href={linkWith('/entries', { path: pattern }, name)}>{name}</a></li>)}</ul></>
    : <div class="empty"><h2>No project yet</h2><p class="muted">Entries appear when an agent has worked somewhere, or after this in a project:</p><p class="command"><code>nudge remember "Prices are in cents"</code></p></div>;
}

export function Entries() {
  const pattern = query.value.get('path') ?? '', where = project.value;
  return (
    <div class="page search entries">
      <div class="lead"><h1>Entries</h1><p class="summary">{pattern ? <>What memory holds under <code>{pattern}</code>.</> : 'Everything in memory has a path. Name one, or a pattern of them.'}</p>
        <form role="search" aria-label="Entries" onSubmit={(e) => { e.preventDefault(); go(to(String(new FormData(e.currentTarget).get('path') ?? '').trim())); }}>
          <input key={pattern} class="big" name="path" type="search" aria-label="Path or pattern" defaultValue={pattern} placeholder="known://**" autocomplete="off" spellcheck={false} maxLength={2000} /></form>
        <p class="chips">{EXAMPLES.map(([example, what]) => <a key={example} class="button chip" href={to(example)} title={what} aria-current={example === pattern ? 'true' : undefined}><code>{example}</code></a>)}</p></div>
      {where === '*' ? <Choose pattern={pattern} />
        : pattern ? <Listed key={`${where} ${pattern}`} pattern={pattern} where={where} />
          : <dl class="examples">{EXAMPLES.map(([example, what]) => <div key={example}><dt><a href={to(example)}><code>{example}</code></a></dt><dd class="muted">{what}</dd></div>)}</dl>}
    </div>
  );
}
