// Where a project is: its directory, which some operations need.
import type { Operations } from './api';
import { call, callIn, Fault } from './server';

/** The directory of a project, by name; that of the one with most sessions if several have it. */
export async function rootOf(name: string): Promise<string> {
  const { projects } = await call('list_projects', {});
  const [its] = projects.filter((p) => p.name === name).sort((a, b) => b.sessions - a.sessions);
  if (!its) throw new Fault('no_project', `there is no project ${name}`, 'choose another one on the left');
  return its.root;
}

/** Calls an operation in the directory of a project. */
export async function callAt<Name extends keyof Operations>(project: string, method: Name, params: Operations[Name]['params']): Promise<Operations[Name]['result']> {
  return callIn(await rootOf(project), method, params);
}
