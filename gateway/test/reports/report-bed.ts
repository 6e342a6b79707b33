// An organization with a history: calls of round prices by members of teams, at moments that a test names.

import type { Org, OrgBed, Person } from '../breakers/org-bed.ts';
import type { Answer, Json } from '../harness.ts';

export class ReportBed {
  readonly bed: OrgBed;
  readonly org: Org;
  #moves = 0;

  private constructor(bed: OrgBed, org: Org) {
    this.bed = bed;
    this.org = org;
  }

  static async open(bed: OrgBed): Promise<ReportBed> {
    return new ReportBed(bed, await bed.org());
  }

  /** `quick` costs 10 cents, `penny` one, `exact` $0.0011, `gratis` nothing. */
  async call(person: Person, model: string, at?: string): Promise<void> {
    if (at !== undefined) this.bed.doors.clock.set(at);
    const { status, text } = await this.bed.doors.first.chat(person.key, { model: `openai/${model}` });
    if (status !== 200) throw new Error(text);
  }

  report(name: string, query = '', key = this.org.admin.managementKey): Promise<Answer> {
    return this.bed.doors.first.request('GET', `/api/orgs/${this.org.id}/reports/${name}${query}`, { key });
  }

  async body(name: string, query: string): Promise<Json> {
    const { status, body, text } = await this.report(name, query);
    if (status !== 200) throw new Error(text);
    return body;
  }

  async rename(table: 'users' | 'teams', id: string, name: string): Promise<void> {
    await this.bed.doors.rows(`update ${table} set name = $2 where id = $1`, [id, name]);
  }

  /** After a change of any setting the organization's callers are loaded again, as after moving a member. */
  async move(person: Person, teamId: string | null): Promise<void> {
    await this.bed.doors.rows('update org_members set team_id = $2 where id = $1', [person.memberId, teamId]);
    this.#moves += 1;
    const { status, text } = await this.bed.change(this.org, '', { cbMinuteUsd: this.#moves });
    if (status !== 200) throw new Error(text);
  }
}
