// The teams of an organization. A team's administrator sees only that team.

import { queryOptions } from '@tanstack/react-query';
import type { ChangeTeamBody, TeamObject, TeamsAnswer } from '../../../../gateway/src/contract/org-management.ts';
import { request } from '../request.ts';
import { orgKeyOf, orgPath } from './organizations.ts';

export type Team = TeamsAnswer['teams'][number];
export type TeamWish = ChangeTeamBody & Readonly<{ name: string }>;

export const teamsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKeyOf(orgId), 'teams'],
    queryFn: async (): Promise<readonly Team[]> => (await request<TeamsAnswer>('GET', orgPath(orgId, '/teams'))).teams,
  });

const teamPath = (orgId: string, teamId: string): string => orgPath(orgId, `/teams/${encodeURIComponent(teamId)}`);

export const createTeam = (orgId: string, body: TeamWish) =>
  request<TeamObject>('POST', orgPath(orgId, '/teams'), { body });

export const changeTeam = (orgId: string, teamId: string, body: ChangeTeamBody) =>
  request<TeamObject>('PATCH', teamPath(orgId, teamId), { body });

export const deleteTeam = (orgId: string, teamId: string) => request<void>('DELETE', teamPath(orgId, teamId));
