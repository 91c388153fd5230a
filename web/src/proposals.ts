// What waits for the user's decision: read once for the rail, the tabs and Review.
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Operations } from './api';
import type { Fault } from './server';
import { project } from './state';
import { useAnswer } from './ui';

export type Proposal = Operations['list_proposals']['result']['proposals'][number];

const all = signal<Proposal[] | null>(null);
export const proposalsFault = signal<Fault | null>(null);
/** Decided here, while the list that says so is on its way. */
export const decided = signal<ReadonlySet<number>>(new Set());

/** Those of the chosen project, newest first; `null` before they were read. */
export const proposals = computed(() => all.value?.filter((p) => !decided.value.has(p.id) && (project.value === '*' || !p.project || p.project === project.value)) ?? null);

let read = () => {};
/** Reads the list again. */
export const readProposals = () => read();

/** Keeps the list current. The shell calls this once. */
export function useProposals() {
  const { answer, fault, again } = useAnswer('list_proposals', () => ({}), (method, scheme) => method === 'entry/changed' && scheme === 'proposal');
  const found = answer.value, failed = fault.value;
  useEffect(() => { read = again; }, []);
  useEffect(() => {
    if (!found) return;
    all.value = found.proposals;
    decided.value = new Set(found.proposals.map((p) => p.id).filter((id) => decided.value.has(id)));
  }, [found]);
  useEffect(() => { proposalsFault.value = failed; }, [failed]);
}
