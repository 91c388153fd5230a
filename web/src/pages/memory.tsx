// Rules and hints: what sessions are given, who stated it, and how to change it.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Operations } from '../api';
import { callAt } from '../places';
import { call, Fault, readOnly } from '../server';
import { link, linkWith, project, say } from '../state';
import { count, inWords, MOST, number, Rest, Section, Trouble, useAnswer, useFound } from '../ui';
import { attempt, capital, dayAndTime, whom } from '../words';
import { conditions } from './review';
import { bringBack, VersionRow, Versions, type Version } from './versions';

type Statement = Operations['knows']['result']['statements'][number];
type Found = Operations['query']['result'];
type Hint = Found['hints'][number]['hint'];

const MOST_HINTS = 200, MOST_ENDED = 100;
const isOf = (wanted: string) => (method: string, scheme?: string) => method === 'entry/changed' && scheme === wanted;
const has = (words: string, ...texts: unknown[]) => words.trim().toLowerCase().split(/\s+/).every((word) => texts.some((text) => String(text ?? '').toLowerCase().includes(word)));

// Statements.

/** How a statement came to be. */
function how({ origin, times, sessions, said_at: at }: Statement): string {
  const said = `said ${times === 1 ? 'once' : `${number(times)} times`}${sessions > 1 ? ` in ${number(sessions)} sessions` : ''}`;
  return { remembered: `remembered ${dayAndTime(at)}`, accepted: `accepted ${dayAndTime(at)}`, said_twice: said, said_once: said, agent: `stated ${dayAndTime(at)}` }[origin];
}

/** Where it can be remembered again: its project, or everywhere. */
async function placeOf(s: Statement) {
  if (s.everywhere) return { everywhere: true };
  const [entry] = await call('get_observations', { ids: [s.id] });
  return { project: entry?.project ?? project.value };
}
type Place = { project?: string; everywhere?: boolean };
const remember = (text: string, place: Place, more: { category?: Statement['category']; directory?: string | null } = {}) =>
  call('remember', { text, ...more, ...place } as Operations['remember']['params']);

/** The same words, stated again, are in force again; what took their place ends. */
const again = (s: Statement, place: Place, after: () => void) => attempt(async () => {
  await remember(s.text, place, { category: s.category, directory: s.directory });
  say(s.origin === 'agent' ? 'It is in force again, now as your statement.' : 'It is in force again.');
  after();
});

/** A field for words: Enter saves, Esc leaves. */
function Words({ label, text, save, leave }: { label: string; text: string; save: (text: string) => Promise<boolean>; leave: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isBusy = useSignal(false);
  useEffect(() => { field.current?.focus(); field.current?.select(); }, []);
  const done = async () => {
    const words = field.current?.value.trim();
    if (!words || isBusy.value) return;
    isBusy.value = true;
    if (words === text || await save(words)) leave(); else isBusy.value = false;
  };
  return (
    <form class="reword" onSubmit={(e) => { e.preventDefault(); void done(); }}
      onKeyDown={(e) => { if (e.key === 'Escape') { e.stopPropagation(); leave(); } if (e.key === 'Enter' && !e.shiftKey && !e.isComposing) { e.preventDefault(); void done(); } }}>
      <label>{label}<textarea ref={field} rows={2} maxLength={2000} defaultValue={text} /></label>
      <span class="actions"><button class="primary" disabled={isBusy.value}>Save <kbd>Enter</kbd></button><button type="button" onClick={leave}>Cancel <kbd>Esc</kbd></button></span>
    </form>
  );
}

function Rule({ s, after }: { s: Statement; after: () => void }) {
  const isOpen = useSignal(false);
  const button = useRef<HTMLButtonElement>(null);
  const leave = () => { isOpen.value = false; setTimeout(() => button.current?.focus()); };
  const correct = (text: string) => attempt(async () => {
    const place = await placeOf(s), { proposal } = await call('correct', { id: s.id, text });
    say(proposal ? capital(proposal.why) : `Corrected: ${text}`, proposal ? undefined : () => void again(s, place, after));
    after();
  });
  const forget = () => attempt(async () => {
    const place = await placeOf(s), { proposal } = await call('forget', { id: s.id });
    say(proposal ? capital(proposal.why) : `Forgotten: ${s.text}`, proposal ? undefined : () => void again(s, place, after));
    after();
  });
  const show = () => attempt(async () => { await call('silence', { id: s.id, project: project.value, again: true }); after(); });
  const facts = [whom(s.stated_by), how(s), s.category !== 'fact' && s.category, s.directory && `only in ${s.directory}`, s.everywhere && 'in every project', s.routine && 'a routine'];
  if (isOpen.value) return <li><Words label={`Correct #${s.id}`} text={s.text} save={correct} leave={leave} /></li>;
  return (
    <li data-statement={s.id}><div class="row rule" data-row tabIndex={-1}>
      <span class="grow"><span class="whole">{s.text}</span><span class="facts-line">{facts.filter(Boolean).join(' · ')}
        {s.drift && <span class="warn-text"> · {s.drift}</span>}{s.against && <span class="warn-text"> · contradicts #{s.against}, so nobody gets it</span>}{s.silenced && <span class="warn-text"> · not shown here</span>}</span></span>
      <span class="row-actions">
        {!readOnly.value && <><button class="link" ref={button} onClick={() => { isOpen.value = true; }}>Correct<span class="visually-hidden"> #{s.id}</span></button>
          <button class="link" onClick={() => void forget()}>Forget<span class="visually-hidden"> #{s.id}</span></button>
          {s.silenced && project.value !== '*' && <button class="link" onClick={() => void show()}>Show again<span class="visually-hidden"> #{s.id}</span></button>}</>}
        <a href={linkWith('/got', { id: s.id })}>Did agents get it?<span class="visually-hidden"> #{s.id}</span></a></span></div></li>
  );
}

const Ended = ({ s, after }: { s: Statement; after: () => void }) => (
  <li><span class="time">{s.state}</span><span class="whole">{s.text} <span class="muted">#{s.id}{s.successor && `, now #${s.successor}`}</span></span>
    {!readOnly.value && <button class="link" onClick={() => void placeOf(s).then((place) => again(s, place, after))}>Remember again<span class="visually-hidden"> #{s.id}</span></button>}</li>
);

// Hints.

/** The hints that apply in a project; without one, those that apply anywhere. */
async function hintsOf(name: string): Promise<Found> {
  if (name === '*') return call('query', { limit: MOST_HINTS });
  try { return await callAt(name, 'query', { limit: MOST_HINTS }); } catch (error) {
    // The directory of the project may be gone.
    if (error instanceof Fault && error.reason === 'project_root') return call('query', { limit: MOST_HINTS });
    throw error;
  }
}
const valueOf = ({ value }: Hint) => (typeof value === 'string' ? value : JSON.stringify(value));

function HintRow({ hint, isBest, after }: { hint: Hint; isBest: boolean; after: () => void }) {
  const isOpen = useSignal(false);
  const { component, key, meta } = hint, name = `${component}/${key}`, where = project.value;
  const remove = () => attempt(async () => {
    const { deleted, proposal } = where === '*' ? await call('delete_hint', { component, key }) : await callAt(where, 'delete_hint', { component, key });
    const last = deleted ? (await call('hint_log', { component, key, limit: 1 })).versions.find((v) => v.ended?.how === 'deleted') : null;
    say(proposal ? capital(proposal.why) : `Deleted: ${name}`, last?.id != null ? () => void bringBack(last.id as number, name, after) : undefined);
    after();
  });
  const uses = hint.use_count ? `used ${hint.use_count === 1 ? 'once' : `${number(hint.use_count)} times`}${hint.last_used_at ? `, last ${dayAndTime(hint.last_used_at)}` : ''}` : 'not used yet';
  const facts = [hint.stated_by && whom(hint.stated_by), meta.scope && conditions(meta.scope), uses, hint.expires_at && `ends ${dayAndTime(hint.expires_at)}`, meta.reason];
  return (
    <li data-hint={name}><div class="row rule" data-row tabIndex={-1}>
      <span class="grow"><span class="hint-name">{name}</span> <code class="whole">{valueOf(hint)}</code><span class="facts-line">{facts.filter(Boolean).join(' · ')}</span></span>
      <span class="row-actions"><button class="link" aria-expanded={isOpen.value} onClick={() => { isOpen.value = !isOpen.value; }}>{hint.version > 1 ? count(hint.version, 'version') : 'Versions'}<span class="visually-hidden"> of {name}</span></button>
        {!readOnly.value && isBest && <button class="link" onClick={() => void remove()}>Delete<span class="visually-hidden"> {name}</span></button>}</span></div>
      {isOpen.value && <Versions component={component} key_={key} after={after} />}</li>
  );
}

/** What was deleted and is not there again, newest first. */
const gone = (log: Version[], present: Set<string>) => {
  const seen = new Set(present);
  return log.filter((v) => { const name = `${v.component}/${v.key}`; if (seen.has(name)) return false; seen.add(name); return v.ended?.how === 'deleted' && v.id != null; });
};

// The page.

export function Memory() {
  const known = useAnswer('knows', () => ({ project: project.value, all: true }), isOf('known'));
  const hinted = useFound(() => hintsOf(project.value), isOf('hint'));
  const log = useAnswer('hint_log', () => ({ limit: 500 }), isOf('hint'));
  const words = useSignal('');
  const isAdding = useSignal(false);
  const where = project.value, place = where === '*' ? 'in all projects' : `in ${where}`;
  const all = known.answer.value?.statements ?? [], standing = all.filter((s) => s.state === 'stands' && s.origin !== 'said_once');
  const ended = all.filter((s) => s.state !== 'stands').slice(0, MOST_ENDED);
  const hints = hinted.answer.value?.hints.map(({ hint }) => hint) ?? [], left = hinted.answer.value?.left_out;
  const yours = standing.filter((s) => s.origin !== 'agent').length;
  const rules = standing.filter((s) => has(words.value, s.text, s.stated_by, s.category, s.directory)), shown = hints.filter((h) => has(words.value, `${h.component}/${h.key}`, valueOf(h), h.stated_by, h.meta.reason, h.meta.tags));
  const names = hints.map((h) => `${h.component}/${h.key}`), deleted = gone(log.answer.value?.versions ?? [], new Set(names));
  const waiting = known.answer.value?.waiting ?? 0, pinned = known.answer.value?.pinned ?? 0;
  const hidden = [left?.not_eligible && `${inWords(left.not_eligible)} ${left.not_eligible === 1 ? 'applies' : 'apply'} ${where === '*' ? 'in some places only: choose a project' : 'elsewhere'}`, left?.over_limit && `${number(left.over_limit)} more not listed`, left?.secret && `${inWords(left.secret)} secret${left.secret === 1 ? '' : 's'}`].filter(Boolean).join('; ').toLowerCase();
  const afterHints = () => { hinted.again(); log.again(); };
  return (
    <div class="page" aria-busy={known.isBusy.value || hinted.isBusy.value}>
      <div class="lead"><h1>Rules and hints</h1>
        {known.answer.value && <p class="summary">{standing.length === 0 ? `Nothing is stated ${place} yet.` : `${inWords(standing.length)} ${standing.length === 1 ? 'rule or fact is' : 'rules and facts are'} in force ${place}${yours === standing.length ? ', stated by you' : yours === 0 ? ', stated by agents' : `; you stated ${inWords(yours).toLowerCase()} of them`}.`} {hinted.answer.value && (hints.length ? `Agents can ask for ${inWords(hints.length).toLowerCase()} ${hints.length === 1 ? 'hint' : 'hints'}.` : 'There is no hint to ask for.')}
          {waiting > 0 && <> {inWords(waiting)} more {waiting === 1 ? 'waits' : 'wait'} for you in <a href={link('/review')}>Review</a>.</>}</p>}
        {pinned > 0 && <p class="muted">{inWords(pinned)} pinned {pinned === 1 ? 'entry is' : 'entries are'} kept for ever.</p>}
        {(standing.length > 0 || hints.length > 0) && <input class="filter" type="search" aria-label="Filter rules and hints" placeholder="Filter" autocomplete="off" value={words.value} onInput={(e) => { words.value = e.currentTarget.value; }} />}</div>
      {known.fault.value && <Trouble fault={known.fault.value} />}
      {known.answer.value && <Section title="Rules and facts" id="rules" action={!readOnly.value && <button onClick={() => { isAdding.value = true; }}>Remember…</button>}>
        {isAdding.value && <Words label={where === '*' ? 'Remember in every project' : `Remember in ${where}`} text="" leave={() => { isAdding.value = false; }}
          save={(text) => attempt(async () => { const { contradicts } = await remember(text, where === '*' ? { everywhere: true } : { project: where }); say(contradicts?.length ? `Remembered. It contradicts ${contradicts.map((c) => `#${c.id}`).join(', ')}.` : 'Remembered. New sessions get it.'); words.value = ''; known.again(); })} />}
        <ul class="rows">{rules.slice(0, MOST).map((s) => <Rule key={s.id} s={s} after={known.again} />)}</ul>
        <Rest of={rules} hint="The filter finds them." />
        {rules.length === 0 && <p class="quiet-row">{words.value ? 'No rule or fact has these words.' : <>What you state here, or say to agents twice, is given to each new session. In a terminal: <code>nudge remember</code></>}</p>}
        {ended.length > 0 && !words.value && <details><summary>{count(ended.length, 'statement')} no longer in force</summary><ul class="times-list">{ended.map((s) => <Ended key={s.id} s={s} after={known.again} />)}</ul></details>}
      </Section>}
      {hinted.fault.value && <Trouble fault={hinted.fault.value} />}
      {hinted.answer.value && <Section title="Hints" id="hints" action={<span class="muted">a command, path or setting by name</span>}>
        <ul class="rows">{shown.map((h) => <HintRow key={h.id} hint={h} isBest={hints.find((o) => o.component === h.component && o.key === h.key) === h} after={afterHints} />)}</ul>
        {shown.length === 0 && <p class="quiet-row">{words.value && hints.length ? 'No hint has these words.' : <>A hint is a fact by name that agents look up: <code>nudge set test command 'pnpm test'</code></>}</p>}
        {hidden && <p class="quiet-row">{capital(hidden)}.</p>}
        {deleted.length > 0 && !words.value && <details><summary>{count(deleted.length, 'deleted hint')}</summary><ul class="times-list">{deleted.map((v) => <VersionRow key={v.id} v={v} name={`${v.component}/${v.key}`} after={afterHints} />)}</ul></details>}
      </Section>}
    </div>
  );
}
