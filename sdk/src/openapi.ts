// Made by `npm run sdk` from the OpenAPI document of the gateway. Changes here are lost.

export interface paths {
    "/admin/v1/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all calls
         * @description Answered, failed and refused calls, newest first; of the last 31 days by default. A page may end early.
         */
        get: operations["getAdminV1Calls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/generations/{id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Explain what a call cost */
        get: operations["getAdminV1GenerationsIdExplain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/generations/{id}/refund": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refund a call
         * @description Repeating it refunds only once. Limits and usage still count the call.
         */
        post: operations["postAdminV1GenerationsIdRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Delete a key */
        delete: operations["deleteAdminV1KeysId"];
        options?: never;
        head?: never;
        /** Switch a key on or off */
        patch: operations["patchAdminV1KeysId"];
        trace?: never;
    };
    "/admin/v1/keys/leaked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report keys that were seen in public, and learn whose they are */
        post: operations["postAdminV1KeysLeaked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List organizations */
        get: operations["getAdminV1Orgs"];
        put?: never;
        /** Create an organization */
        post: operations["postAdminV1Orgs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an organization */
        get: operations["getAdminV1OrgsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an organization
         * @description Changes its plan, credit line, seats, or whether it is suspended or vouched for.
         */
        patch: operations["patchAdminV1OrgsId"];
        trace?: never;
    };
    "/admin/v1/orgs/{id}/adjustments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adjust the balance of an organization
         * @description A negative amount takes credit back. The same `reference` counts once. 409 when the balance would become negative.
         */
        post: operations["postAdminV1OrgsIdAdjustments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credit an organization
         * @description With an `Idempotency-Key` header a repeated request credits only once.
         */
        post: operations["postAdminV1OrgsIdCredits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the entries of an organization
         * @description The same rows as in the holder's own statement.
         */
        get: operations["getAdminV1OrgsIdEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys of an organization */
        get: operations["getAdminV1OrgsIdKeys"];
        put?: never;
        /** Create a key for a member */
        post: operations["postAdminV1OrgsIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List members of an organization */
        get: operations["getAdminV1OrgsIdMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}/sign-on": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove the single sign-on of an organization
         * @description For an organization whose issuer is lost. Sessions that began at the issuer end.
         */
        delete: operations["deleteAdminV1OrgsIdSignOn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}/statements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the statement of a month */
        get: operations["getAdminV1OrgsIdStatements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}/statements/{month}/paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark a statement as paid
         * @description For an organization with the monthly plan. The month is written as `2030-01`.
         */
        post: operations["postAdminV1OrgsIdStatementsMonthPaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/orgs/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the usage of an organization
         * @description day, week, month and year are calendar periods in UTC; the others count back from now.
         */
        get: operations["getAdminV1OrgsIdUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the overview
         * @description Revenue, cost, calls and people of a span of days (default: the last 30), and what needs attention now.
         */
        get: operations["getAdminV1Overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List users */
        get: operations["getAdminV1Users"];
        put?: never;
        /** Create a user */
        post: operations["postAdminV1Users"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a user */
        get: operations["getAdminV1UsersId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Suspend or reopen a user */
        patch: operations["patchAdminV1UsersId"];
        trace?: never;
    };
    "/admin/v1/users/{id}/adjustments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adjust the balance of a user
         * @description A negative amount takes credit back. The same `reference` counts once. 409 when the balance would become negative.
         */
        post: operations["postAdminV1UsersIdAdjustments"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Credit a user
         * @description With an `Idempotency-Key` header a repeated request credits only once.
         */
        post: operations["postAdminV1UsersIdCredits"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the entries of a user
         * @description The same rows as in the holder's own statement.
         */
        get: operations["getAdminV1UsersIdEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}/factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a user's second factors
         * @description For a user who has lost them. The user's sessions end, and the user gets a mail.
         */
        delete: operations["deleteAdminV1UsersIdFactors"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys of a user */
        get: operations["getAdminV1UsersIdKeys"];
        put?: never;
        /**
         * Create a key for a user
         * @description The secret is shown only in this answer.
         */
        post: operations["postAdminV1UsersIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/users/{id}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the usage of a user
         * @description day, week, month and year are calendar periods in UTC; the others count back from now.
         */
        get: operations["getAdminV1UsersIdUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/allowed-models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read allowed models
         * @description There are three layers: organization, team, member. A model is allowed if every layer that is not empty lists it.
         */
        get: operations["getApiOrgsOrgIdAllowedModels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Replace allowed models
         * @description Send the whole list of this layer; an empty list allows every model.
         */
        patch: operations["patchApiOrgsOrgIdAllowedModels"];
        trace?: never;
    };
    "/api/orgs/{orgId}/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description Newest first.
         */
        get: operations["getApiOrgsOrgIdAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/circuit-breaker": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the spend breaker of an organization */
        get: operations["getApiOrgsOrgIdCircuitBreaker"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the spend breaker of an organization
         * @description A field that is left out does not change; null inherits from the layer above.
         */
        patch: operations["patchApiOrgsOrgIdCircuitBreaker"];
        trace?: never;
    };
    "/api/orgs/{orgId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List invitations */
        get: operations["getApiOrgsOrgIdInvitations"];
        put?: never;
        /**
         * Invite somebody
         * @description Only the mail has the link.
         */
        post: operations["postApiOrgsOrgIdInvitations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Withdraw an invitation */
        delete: operations["deleteApiOrgsOrgIdInvitationsInvitationId"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys of an organization */
        get: operations["getApiOrgsOrgIdKeys"];
        put?: never;
        /**
         * Create a key of an organization
         * @description The secret is shown only in this answer.
         */
        post: operations["postApiOrgsOrgIdKeys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a key of an organization
         * @description The key is refused from the next call on.
         */
        delete: operations["deleteApiOrgsOrgIdKeysId"];
        options?: never;
        head?: never;
        /**
         * Change a key of an organization
         * @description Its name and its secret cannot be changed.
         */
        patch: operations["patchApiOrgsOrgIdKeysId"];
        trace?: never;
    };
    "/api/orgs/{orgId}/reports/by-member": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report a month by member
         * @description Only for administrators.
         */
        get: operations["getApiOrgsOrgIdReportsByMember"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/reports/by-model": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report a month by model */
        get: operations["getApiOrgsOrgIdReportsByModel"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/reports/by-team": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report a month by team */
        get: operations["getApiOrgsOrgIdReportsByTeam"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/reports/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a report
         * @description As CSV for a spreadsheet.
         */
        get: operations["getApiOrgsOrgIdReportsExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/orgs/{orgId}/reports/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report a month, day by day */
        get: operations["getApiOrgsOrgIdReportsOverview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read credits */
        get: operations["getV1Credits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits/redeem": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redeem a code
         * @description A code works once. The account that redeemed it may repeat the request, which adds nothing.
         */
        post: operations["postV1CreditsRedeem"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits/topups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List top-ups */
        get: operations["getV1CreditsTopups"];
        put?: never;
        /**
         * Order credit
         * @description The answer says where to pay. A transaction fee is added, and VAT for local currencies.
         */
        post: operations["postV1CreditsTopups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits/topups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a top-up */
        get: operations["getV1CreditsTopupsId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits/topups/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the receipt of a top-up
         * @description Available once the top-up is paid. With `Accept: text/plain` it is text.
         */
        get: operations["getV1CreditsTopupsIdReceipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/credits/topups/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the price of a top-up */
        get: operations["getV1CreditsTopupsQuote"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the record of a call */
        get: operations["getV1Generation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generation/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the prompt and the answer of a call
         * @description Works if the organization of the key keeps prompts and answers, and the role of the key's holder may read them. The reading is logged.
         */
        get: operations["getV1GenerationContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the calling key */
        get: operations["getV1Key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List keys */
        get: operations["getV1Keys"];
        put?: never;
        /**
         * Create a key
         * @description The secret is shown only in this answer.
         */
        post: operations["postV1Keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a key
         * @description The key is refused from the next call on.
         */
        delete: operations["deleteV1KeysId"];
        options?: never;
        head?: never;
        /**
         * Change a key
         * @description Its name and its secret cannot be changed.
         */
        patch: operations["patchV1KeysId"];
        trace?: never;
    };
    "/v1/keys/leaked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a key that was seen in public
         * @description Anybody may send it, without a key. The holder of the key is told, and the key is switched off if the holder chose that. The answer is the same whether or not the key exists.
         */
        post: operations["postV1KeysLeaked"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your organizations */
        get: operations["getV1Orgs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read an organization */
        get: operations["getV1OrgsOrgId"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change an organization */
        patch: operations["patchV1OrgsOrgId"];
        trace?: never;
    };
    "/v1/orgs/{orgId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List members */
        get: operations["getV1OrgsOrgIdMembers"];
        put?: never;
        /**
         * Add a member
         * @description If the operator has opened the organization or vouches for it, a person with an account becomes a member (201). Otherwise the address is invited (202), whether or not it has an account.
         */
        post: operations["postV1OrgsOrgIdMembers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description The last administrator cannot be removed.
         */
        delete: operations["deleteV1OrgsOrgIdMembersMemberId"];
        options?: never;
        head?: never;
        /** Change a member */
        patch: operations["patchV1OrgsOrgIdMembersMemberId"];
        trace?: never;
    };
    "/v1/orgs/{orgId}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an organization's statement
         * @description Every entry with the balance after it. For administrators and billing viewers.
         */
        get: operations["getV1OrgsOrgIdStatement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/teams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List teams */
        get: operations["getV1OrgsOrgIdTeams"];
        put?: never;
        /** Create a team */
        post: operations["postV1OrgsOrgIdTeams"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/orgs/{orgId}/teams/{teamId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a team
         * @description Members stay in the organization; the keys of the team are revoked.
         */
        delete: operations["deleteV1OrgsOrgIdTeamsTeamId"];
        options?: never;
        head?: never;
        /**
         * Change a team
         * @description A team's administrator may set its budget.
         */
        patch: operations["patchV1OrgsOrgIdTeamsTeamId"];
        trace?: never;
    };
    "/v1/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the statement
         * @description Every entry with the balance after it. A member's standard key cannot read the statement of an organization.
         */
        get: operations["getV1Statement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read usage
         * @description day, week, month and year are calendar periods in UTC; the others count back from now.
         */
        get: operations["getV1Usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccountStatement: {
            /** @description Whose statement it is. */
            accountId: string;
            /** @description At its end. Only with the first page. In USD. */
            closingBalanceUsd: number | null;
            /** @description Newest first. */
            entries: components["schemas"]["StatementEntry"][];
            /** @description The beginning of the span; null for the first entry. Later than asked for where entries are archived. */
            from: string | null;
            /** @description The `cursor` of the page that follows; null on the last one. */
            next: string | null;
            /** @description At the beginning of the span. Only with the first page. In USD. */
            openingBalanceUsd: number | null;
            /** @description The end of the span, which is not included; null for now. */
            to: string | null;
            /** @description Only with the first page. */
            totals: {
                /** @description The sum of the entries of this kind. In USD. */
                amountUsd: number;
                /**
                 * @description `top_up` was bought, `credit` given by the operator, `payment` settles a month; `reversal` goes back with a payment.
                 * @enum {string}
                 */
                kind: "top_up" | "credit" | "welcome_credit" | "code_credit" | "payment" | "charge" | "adjustment" | "refund" | "reversal" | "reversal_undone";
            }[];
        };
        Adjusted: {
            /** @description The balance after this. In USD. */
            balanceUsd: number;
            /** @description The number of the entry in the journal; the same when the request is repeated. */
            entryId: string;
        };
        AdjustmentBody: {
            /** @description True to take back what was spent already: the account owes it from then on. */
            allowBelowZero?: boolean;
            /** @description An amount in USD with at most nine decimals, below zero to take back. */
            amountUsd: number | string;
            /** @description Text of 1 to 500 characters; the holder of the account reads it. */
            reason: string;
            /** @description 1 to 200 letters, digits and signs of ASCII; the same one counts once. */
            reference?: string;
        };
        AllowedModels: {
            /** @description The models that this layer allows; empty for all. */
            allowedModels: string[];
            /** @description The models that all layers together allow; null for all. */
            effective: string[] | null;
        };
        AllowedModelsBody: {
            /** @description A list of at most 200 entries. */
            allowedModels: string[];
        };
        AppUsage: {
            /** @description Null for calls that did not name their application. */
            appName: string | null;
            /** @description Calls. */
            requests: number;
            /** @description Spent. In USD. */
            spend: number;
            /** @description Tokens of prompts and answers. */
            tokens: number;
        };
        AuditLog: {
            entries: {
                /** @description What was done, such as `org.key.create`. */
                action: string;
                actor: {
                    email: string | null;
                    keyId: string | null;
                    /**
                     * @description Who did it.
                     * @enum {string}
                     */
                    kind: "user" | "key" | "operator" | "system";
                    name: string | null;
                    userId: string | null;
                };
                after: {
                    [key: string]: unknown;
                } | null;
                before: {
                    [key: string]: unknown;
                } | null;
                /**
                 * Format: date-time
                 * @description When.
                 */
                createdAt: string;
                id: string;
                targetId: string;
                /** @description What it was done to. */
                targetType: string;
            }[];
            /** @description The `cursor` of the page that follows; null on the last one. */
            nextCursor: string | null;
        };
        Balance: {
            /** @description The balance after this. In USD. */
            balanceUsd: number;
        };
        BreakerBody: {
            /** @description True, false, or null for the default. */
            cbEnabled?: boolean | null;
            /** @description A number of USD from 0.01 to 1000000000, or null for the default. */
            cbHourlyUsd?: number | null;
            /** @description A number of USD from 0.01 to 1000000000, or null for the default. */
            cbMinuteUsd?: number | null;
        };
        CallLog: {
            /** @description Newest first. */
            calls: components["schemas"]["LoggedCall"][];
            /** @description The `cursor` of the page that follows; null on the last one. */
            next: string | null;
        };
        ChangeKeyBody: {
            /** @description A list of at most 200 addresses or IPv4 ranges. */
            allowedCidrs?: string[];
            /** @description Whole seconds from 1 to 86400, 0 for never, or null to say nothing. */
            cacheTtlSeconds?: number | null;
            /** @description True or false. */
            disableWhenLeaked?: boolean;
            /** @description True or false. */
            enabled?: boolean;
            /** @description A time in ISO 8601 such as 2030-01-31T12:00:00Z, or null. */
            expiresAt?: string | null;
            /** @description True or false. */
            freeFallback?: boolean;
            /** @description One of daily, weekly, monthly, or null for a limit that never resets. */
            spendLimitPeriod?: "day" | "daily" | "week" | "weekly" | "month" | "monthly" | null;
            /** @description A number of USD from 0 to 1000000000, or null for no limit. */
            spendLimitUsd?: number | null;
        };
        ChangeMemberBody: {
            /** @description An amount in USD from 0 to nine billion, or null. */
            monthlyBudget?: number | null;
            /**
             * @description One of org_admin, billing_viewer, team_admin, member.
             * @enum {string}
             */
            role?: "org_admin" | "billing_viewer" | "team_admin" | "member";
            /** @description An id or null. */
            teamId?: string | null;
        };
        ChangeOrgBody: {
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name?: string;
            /** @description An object of settings. */
            settings?: {
                /** @description True or false. */
                cacheShared?: boolean;
                /** @description Whole seconds from 1 to 86400, 0 for never, or null to say nothing. */
                cacheTtlSeconds?: number | null;
                /** @description An amount in USD from 0 to nine billion, or null. */
                defaultMemberBudget?: number | null;
                /** @description True or false. */
                needsSecondFactor?: boolean;
                /** @description True or false. */
                teamAdminsMayInvite?: boolean;
                /** @description An object with days, samplePercent and readers, or null. */
                transcripts?: {
                    /** @description A number of days from 1 to 365. */
                    days: number;
                    /** @description A list of roles. */
                    readers: ("org_admin" | "billing_viewer" | "team_admin" | "member")[];
                    /** @description A number from 1 to 100. */
                    samplePercent: number;
                } | null;
            };
        };
        ChangeTeamBody: {
            /** @description A line of text of 1 to 100 characters, not only spaces or null. */
            costCenterCode?: string | null;
            /** @description A line of text of 1 to 1000 characters, not only spaces or null. */
            description?: string | null;
            /** @description An amount in USD from 0 to nine billion, or null. */
            monthlyBudget?: number | null;
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name?: string;
            /** @description A list of at most 100 short texts. */
            permissionScope?: string[];
        };
        CreateKeyBody: {
            /** @description A list of at most 200 addresses or IPv4 ranges. */
            allowedCidrs?: string[];
            /** @description Whole seconds from 1 to 86400, 0 for never, or null to say nothing. */
            cacheTtlSeconds?: number | null;
            /** @description True or false. */
            disableWhenLeaked?: boolean;
            /** @description A time in ISO 8601 such as 2030-01-31T12:00:00Z, or null. */
            expires_at?: string | null;
            /** @description True or false. */
            freeFallback?: boolean;
            /**
             * @description One of standard, management.
             * @enum {string}
             */
            keyType?: "standard" | "management";
            /** @description A number of USD from 0 to 1000000000, or null for no limit. */
            limit?: number | null;
            /** @description One of daily, weekly, monthly, or null for a limit that never resets. */
            limit_reset?: "day" | "daily" | "week" | "weekly" | "month" | "monthly" | null;
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name: string;
        };
        CreateOrgKeyBody: {
            /** @description A list of at most 200 addresses or IPv4 ranges. */
            allowedCidrs?: string[];
            /** @description Whole seconds from 1 to 86400, 0 for never, or null to say nothing. */
            cacheTtlSeconds?: number | null;
            /** @description True or false. */
            disableWhenLeaked?: boolean;
            /** @description A time in ISO 8601 such as 2030-01-31T12:00:00Z, or null. */
            expires_at?: string | null;
            /** @description True or false. */
            freeFallback?: boolean;
            /**
             * @description One of standard, management.
             * @enum {string}
             */
            keyType?: "standard" | "management";
            /** @description A number of USD from 0 to 1000000000, or null for no limit. */
            limit?: number | null;
            /** @description One of daily, weekly, monthly, or null for a limit that never resets. */
            limit_reset?: "day" | "daily" | "week" | "weekly" | "month" | "monthly" | null;
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name: string;
            /** @description The id of the member's team, or null. */
            teamId?: string | null;
            /** @description A member's user id. */
            userId?: string;
        };
        CreditBody: {
            /** @description An amount in USD with at most nine decimals. */
            amountUsd: number | string;
            /** @description Text of at most 500 characters. */
            note?: string;
        };
        Credits: {
            data: {
                /** @description All credit that was ever added. In USD. */
                total_credits: number;
                /** @description All that was ever spent; the difference of the two is the balance. In USD. */
                total_usage: number;
            };
        };
        Error: {
            error: {
                /** @description A stable word where the client can react to it; otherwise the HTTP status as a number. */
                code: string | number;
                /** @description A text for people; its words may change. */
                message: string;
                /** @description The family of the error; it may change. */
                type: string;
            };
        };
        Explanation: {
            /** @description Why it was not charged. */
            absorbedReason: string | null;
            /** @description What was not charged. In USD, as exact decimal text. */
            absorbedUsd: string;
            /** @description The account that pays. */
            accountId: string;
            /** @description The name of the organization, or the address of the person. */
            accountName: string | null;
            app: string | null;
            /** @description True: the charge and its price are only in the file of an archived month. */
            archived: boolean;
            /** @description Every attempt in order; the caller got the last one. */
            attempts: {
                durationMs: number;
                outcome: string;
                provider: string;
                status: number;
                upstreamModel: string;
            }[];
            /** @description Why the auto router chose the model, where it did. */
            auto: unknown;
            /** @description What was charged. In USD, as exact decimal text. */
            chargedUsd: string;
            /** @description What it cost. In USD, as exact decimal text. */
            costUsd: string;
            /**
             * Format: date-time
             * @description When the call ended.
             */
            createdAt: string;
            durationMs: number;
            /** @description The entries of the ledger for the call. */
            entries: {
                amountUsd: string;
                /** @description The caps and breakers that the call was counted under, without those whose windows ended long ago. */
                counters: {
                    scope: string;
                    scopeId: string;
                    window: string;
                    windowStart: string;
                }[];
                /**
                 * Format: date-time
                 * @description When.
                 */
                createdAt: string;
                from: string;
                id: string;
                kind: string;
                to: string;
            }[];
            finishReason: string | null;
            firstTokenMs: number | null;
            /** @description The generation. */
            id: string;
            keyId: string;
            /** @description The name of the key, also after the key is deleted. */
            keyName: string | null;
            /** @description How the price makes the cost; one rounding, half up, at the end. Empty where there is no price. */
            lines: {
                /** @description What a million of the units cost; null where it is no price. */
                perMillionUsd: string | null;
                units: number;
                /** @description What one of them costs. */
                unitUsd: string | null;
                usd: string;
                what: string;
            }[];
            /** @description The charge minus that cost; negative where the cost was not paid. In USD, as exact decimal text. */
            marginUsd: string;
            model: string;
            /** @description The kind of call, such as `chat`. */
            operation: string;
            /** @description Null where nothing was charged, or the charge is archived. */
            price: {
                /** @description What the price of completion tokens is multiplied by. */
                completionMultiplier: number;
                /** @description The extras of the call, such as `service_tier=priority`. The prices include them. */
                extras: string[];
                /**
                 * Format: date-time
                 * @description When the price first made a charge.
                 */
                firstUsedAt: string;
                /** @description By name, USD for a million units. */
                perMillion: {
                    [key: string]: string;
                };
                /** @description The price tier: these prices are for prompts longer than this; null for the ordinary prices. */
                tierAbovePromptTokens: number | null;
                /** @description An id of the prices; equal prices have the same id. */
                version: string;
            } | null;
            provider: string;
            /** @description What filters and guards decided about the call, in order. */
            reviews: {
                /**
                 * @description The organization's content filter or outside guard, or a guard of the operator's.
                 * @enum {string}
                 */
                by: "filter" | "guard" | "operator";
                /** @description Its name at that time. */
                name: string;
                /**
                 * @description The prompt, or the answer.
                 * @enum {string}
                 */
                of: "input" | "output";
                /**
                 * @description What it decided.
                 * @enum {string}
                 */
                outcome: "allowed" | "flagged" | "redacted" | "blocked" | "no_verdict";
                /** @description The guard's reason, or why there was no verdict. */
                reason: string | null;
            }[];
            /** @description The answer was a stream. */
            streamed: boolean;
            teamId: string | null;
            tokens: {
                cached: number;
                cacheWrite: number;
                completion: number;
                prompt: number;
                reasoning: number;
            };
            upstreamModel: string;
            /** @description What it cost the operator. In USD, as exact decimal text. */
            upstreamUsd: string;
            userEmail: string | null;
            /** @description The user who called. */
            userId: string;
        };
        Generation: {
            data: {
                /** @description What the caller sent as X-Title. */
                app_name: string | null;
                /** @description Every attempt at a provider, in order. */
                attempts: {
                    /** @description How long the attempt took. */
                    duration_ms: number;
                    /** @description `answered`, or why the provider did not answer. */
                    outcome: string;
                    /** @description The provider that was asked. */
                    provider: string;
                    /** @description The upstream's HTTP status. */
                    status: number;
                }[];
                auto: {
                    /** @description From 0 to 1. */
                    confidence: number;
                    /** @description The tier that was scored, where the router was unsure and chose the next higher one. */
                    promoted_from: string | null;
                    /** @description The signals that spoke for the tier. */
                    signals: {
                        name: string;
                        weight: number;
                    }[];
                    /** @description `paid` or `free`. */
                    table: string;
                    /** @description The tier that the request was sorted into. */
                    tier: string;
                } | null;
                cost_breakdown: {
                    /** @description What caches saved. In USD. */
                    cache_discount: number;
                    /** @description Before the discount of caches. In USD. */
                    subtotal: number;
                    /** @description What was charged. In USD. */
                    total: number;
                };
                /**
                 * Format: date-time
                 * @description When the call ended.
                 */
                created_at: string;
                /** @description How long the call took. */
                duration_ms: number;
                /** @description The error that the client of a failed call got; kept for a month. */
                error: {
                    code: string;
                    message: string;
                    status: number;
                } | null;
                /** @description Why the answer ended. */
                finish_reason: string | null;
                /** @description The time until the first piece of the answer. */
                first_token_ms: number | null;
                /** @description The id of the answer to the call. */
                id: string;
                /** @description The call has not ended yet: what it uses and costs is not known. */
                in_progress: boolean;
                /** @description True when another provider was tried before and failed. */
                is_failover: boolean;
                /** @description True when the free quota of the model was used, so the call cost nothing. */
                is_free: boolean;
                /** @description The key it was made with. */
                key_id: string;
                /** @description The name of the key, also after the key is deleted. */
                key_name: string | null;
                /** @description The model that answered. */
                model: string;
                /** @description The kind of call, such as `chat`. */
                operation: string;
                /** @description How the price made the cost; null where nothing was charged. */
                pricing: {
                    /** @description What the price of completion tokens is multiplied by. */
                    completion_multiplier: number;
                    /** @description The extras of the call, such as `service_tier=priority`. The prices include them. */
                    extras: string[];
                    /** @description The lines add up to the charge, which is rounded once, half up, at the end. */
                    lines: {
                        /** @description How many units. */
                        units: number;
                        /** @description Units times price, as exact decimal text. */
                        usd: string;
                        /** @description The price of a million units; null where the line is not a price. */
                        usd_per_million: string | null;
                        /** @description The price of one unit. */
                        usd_per_unit: string | null;
                        /** @description What was counted. */
                        what: string;
                    }[];
                    /** @description The price tier: these prices are for prompts longer than this; null for the ordinary prices. */
                    tier_above_prompt_tokens: number | null;
                    /** @description An id of the prices; equal prices have the same id. */
                    version: string;
                } | null;
                /** @description The provider that served the call. */
                provider: string;
                /** @description How much of the charge was refunded. In USD. */
                refunded: number;
                /** @description What filters and guards decided about the call, in their order: what was redacted or blocked, and to an organization's administrators, by session or management key, all that its own have decided. */
                reviews: {
                    /**
                     * @description The organization's content filter or outside guard, or a guard of the operator's.
                     * @enum {string}
                     */
                    by: "filter" | "guard" | "operator";
                    /** @description Its name at that time. */
                    name: string;
                    /**
                     * @description The prompt, or the answer.
                     * @enum {string}
                     */
                    of: "input" | "output";
                    /**
                     * @description What it decided.
                     * @enum {string}
                     */
                    outcome: "allowed" | "flagged" | "redacted" | "blocked" | "no_verdict";
                    /** @description The guard's reason, or why there was no verdict. */
                    reason: string | null;
                }[];
                /** @description The upstream's HTTP status. */
                status: number;
                /** @description The answer was a stream. */
                streamed: boolean;
                /** @description Completion tokens per second. */
                throughput: number;
                usage: {
                    /** @description Tokens of the answer. */
                    completion_tokens: number;
                    completion_tokens_details: {
                        /** @description Tokens of pictures. */
                        image_tokens: number;
                        /** @description Tokens of reasoning. */
                        reasoning_tokens: number;
                    };
                    /** @description What was charged. In USD. */
                    cost: number;
                    /** @description Tokens of the prompt. */
                    prompt_tokens: number;
                    prompt_tokens_details: {
                        /** @description Sound. */
                        audio_tokens: number;
                        /** @description Written to a cache. */
                        cache_write_tokens: number;
                        /** @description Read from a cache. */
                        cached_tokens: number;
                    };
                    /** @description Both. */
                    total_tokens: number;
                    /** @description What is not counted in tokens: `characters`, `audio_seconds`, `images`, `video_seconds`, `searches`, `judged`, `web_searches`, `hosted_tools`; and `cache_write_hour_tokens`, those of the tokens written to a cache that it keeps for an hour. */
                    units?: {
                        [key: string]: number;
                    };
                };
                /** @description The user who made the call; always there. */
                user_id: string | null;
            };
        };
        GenerationContent: {
            data: {
                input: {
                    /** @description The texts of the prompt. */
                    messages: {
                        /** @description The text after filters and guards. */
                        content: string;
                        /** @description Who wrote it. */
                        role: string;
                    }[];
                };
                output: {
                    /** @description The text of the answer. */
                    completion: string;
                    /** @description The reasoning that the model showed; null without any. */
                    reasoning: string | null;
                    /** @description The answer as the client got it: a JSON object, or the events of a stream. */
                    response: string;
                };
                /** @description True: something was too long to be kept whole. */
                truncated: boolean;
            };
        };
        Invitation: {
            /**
             * Format: date-time
             * @description When it was sent.
             */
            createdAt: string;
            /** @description Who is invited. */
            email: string;
            /** @description It has ended. */
            expired: boolean;
            /**
             * Format: date-time
             * @description When it ends.
             */
            expiresAt: string;
            /** @description The id of the invitation, used in paths. */
            id: string;
            invitedBy: {
                id: string;
                name: string;
            } | null;
            /** @description What the member will be allowed to spend in a month; null for no limit. In USD. */
            monthlyBudget: number | null;
            /**
             * @description What the member may do.
             * @enum {string}
             */
            role: "org_admin" | "billing_viewer" | "team_admin" | "member";
            team: {
                id: string;
                name: string;
            } | null;
        };
        InvitationList: {
            invitations: components["schemas"]["Invitation"][];
        };
        Key: {
            /** @description The IP addresses it may be used from; empty for all. */
            allowedCidrs: string[];
            /** @description For how many seconds answers to its calls may be given again from the cache; 0: never; null: the organization decides. */
            cacheTtlSeconds: number | null;
            /**
             * Format: date-time
             * @description When the key was made.
             */
            createdAt: string;
            /** @description True: the key is switched off at once when somebody reports that it was seen in public. */
            disableWhenLeaked: boolean;
            /** @description False: calls with the key are refused. */
            enabled: boolean;
            /** @description When the key expires. */
            expiresAt: string | null;
            /** @description Calls beyond the quota of a free model go on at the paid price. */
            freeFallback: boolean;
            /** @description The id of the key, used in paths. */
            id: string;
            /** @description The first characters of the secret. */
            keyPrefix: string;
            /** @description The last characters of the secret. */
            keySuffix: string;
            /**
             * @description Standard keys call models, management keys manage keys and organizations.
             * @enum {string}
             */
            keyType: "standard" | "management";
            /** @description When it last made a call. */
            lastUsed: string | null;
            /** @description When it was first reported as seen in public; null when it was not. */
            leakedAt: string | null;
            /** @description Where it was seen, in the words of the report. */
            leakPlace: string | null;
            /** @description The name of the key; it cannot be changed. */
            name: string;
            /** @description How many calls it made. */
            requestCount: number;
            /** @description How often the limit starts again at zero; null for a limit that never does. */
            spendLimitPeriod: string | null;
            /** @description What the key may spend in a period; null for no limit. In USD. */
            spendLimitUsd: number | null;
            /** @description What was spent of the limit in its current period; null without a limit. In USD. */
            spendLimitUsedUsd: number | null;
            /** @description What the key has spent in all. In USD. */
            spentUsd: number;
            /** @description Only for keys of organizations: the team that the key belongs to. */
            teamId?: string | null;
            /** @description How many tokens its calls used. */
            totalTokens: number;
            /** @description Only for keys of organizations: the member who holds the key. */
            userId?: string;
        };
        KeyChanged: {
            /** @constant */
            updated: true;
        };
        KeyInfo: {
            data: {
                /** @description Who holds the key. */
                creator_user_id: string;
                /** @description When the key expires. */
                expires_at: string | null;
                /** @description Prepaid, with a balance below 10 USD. */
                is_free_tier: boolean;
                /** @description True for a management key, which calls no models. */
                is_management_key: boolean;
                /** @description The same as is_management_key. */
                is_provisioning_key: boolean;
                /** @description The key's name. */
                label: string;
                /** @description What it may spend in a period; null for no limit. In USD. */
                limit: number | null;
                /** @description What is left of the key's own limit, or the account's balance where the key has no limit. In USD. */
                limit_remaining: number;
                /** @description How often the limit starts again at zero. */
                limit_reset: ("daily" | "weekly" | "monthly") | null;
                /** @description The organization that pays; null for the holder. */
                organization_id: string | null;
                rate_limit: components["schemas"]["RateLimit"];
                /** @description Calls in all. */
                requests: number;
                /** @description Calls today (UTC). */
                requests_daily: number;
                /** @description Calls since the first of the month (UTC). */
                requests_monthly: number;
                /** @description Calls since Monday (UTC). */
                requests_weekly: number;
                /** @description Spent in all. In USD. */
                usage: number;
                /** @description Spent today (UTC). In USD. */
                usage_daily: number;
                /** @description Spent since the first of the month (UTC). In USD. */
                usage_monthly: number;
                /** @description Spent since Monday (UTC). In USD. */
                usage_weekly: number;
                workspace_id: null;
            };
        };
        KeyList: {
            keys: components["schemas"]["Key"][];
        };
        KeySwitchBody: {
            /** @description True or false. */
            enabled?: boolean;
        };
        KeyUsage: {
            keyId: string;
            /** @description The name of the key, also after the key is deleted. */
            keyName: string | null;
            /** @description Calls. */
            requests: number;
            /** @description Spent. In USD. */
            spend: number;
            /** @description Tokens of prompts and answers. */
            tokens: number;
        };
        LeakedKey: {
            /** @description Whose money it spends: a user or an organization. */
            accountId: string;
            /** @description False: it is switched off. */
            enabled: boolean;
            /** @description The id of the key, used in paths. */
            id: string;
            /** @description When it was first reported. */
            leakedAt: string | null;
            /** @description Where it was first seen. */
            leakPlace: string | null;
            /** @description Its label. */
            name: string;
            /** @description Who holds it. */
            userId: string;
        };
        LeakedKeyList: {
            keys: components["schemas"]["LeakedKey"][];
        };
        LeakReportBody: {
            /** @description Where it was seen, text of 1 to 500 characters without control characters. */
            place?: string;
            /** @description A key, or a text in which keys may be, of 1 to 60000 characters. */
            text: string;
        };
        LeakReportReceived: {
            /** @constant */
            received: true;
        };
        LoggedCall: {
            /** @description The cost that was not charged. In USD. */
            absorbedUsd: number;
            /** @description The account that pays; null for calls without a valid key. */
            accountId: string | null;
            accountName: string | null;
            appName: string | null;
            /**
             * Format: date-time
             * @description When the request arrived.
             */
            at: string;
            /** @description The error code that the client got, where it is known. */
            code: string | null;
            /** @description Tokens of the answer. */
            completionTokens: number | null;
            /** @description What was charged. In USD. */
            costUsd: number;
            /** @description How many refused calls this row stands for; of very many calls not each has a row. */
            count: number;
            /** @description Milliseconds from the request to the end. */
            durationMs: number;
            finishReason: string | null;
            /** @description Milliseconds to the first piece of the answer. */
            firstTokenMs: number | null;
            /** @description The id of the record of the call. */
            generationId: string | null;
            /** @description The id of the record of the call, or of the request where there is no record. */
            id: string;
            /** @description The key that was used. */
            keyId: string | null;
            keyName: string | null;
            /** @description The error message that the client got. */
            message: string | null;
            /** @description The model; of a refused call, the name that the client sent. */
            model: string | null;
            operation: string;
            /**
             * @description `failed`: no answer from upstream; `abandoned`: broken off and unpaid; `refused`: no provider was asked.
             * @enum {string}
             */
            outcome: "ok" | "failed" | "abandoned" | "refused";
            /** @description Tokens of the prompt. */
            promptTokens: number | null;
            /** @description The provider that answered. */
            provider: string | null;
            /** @description The request id, as in the log. */
            requestId: string | null;
            /** @description The status that the client got, or the upstream's; 0 when there was none. */
            status: number;
            /** @description Whether the answer came in pieces. */
            streamed: boolean | null;
            /** @description What it cost the operator; only in the operator’s log. In USD. */
            upstreamUsd?: number;
            userEmail: string | null;
            /** @description The user who called. */
            userId: string | null;
        };
        Member: {
            /** @description The id of the member, used in paths. */
            id: string;
            /**
             * Format: date-time
             * @description When the member joined.
             */
            joinedAt: string;
            /** @description What the member may spend in a month; null for no limit. In USD. */
            monthlyBudget: number | null;
            /**
             * @description What the member may do.
             * @enum {string}
             */
            role: "org_admin" | "billing_viewer" | "team_admin" | "member";
            team: {
                id: string;
                name: string;
            } | null;
            teamId: string | null;
            user: {
                email: string;
                id: string;
                name: string;
            };
        };
        MemberList: {
            members: {
                /** @description The id of the member, used in paths. */
                id: string;
                /**
                 * Format: date-time
                 * @description When the member joined.
                 */
                joinedAt: string;
                /** @description What the member may spend in a month; null for no limit. In USD. */
                monthlyBudget: number | null;
                /** @description Spent in this month (UTC). In USD. */
                monthSpend: number;
                /**
                 * @description What the member may do.
                 * @enum {string}
                 */
                role: "org_admin" | "billing_viewer" | "team_admin" | "member";
                team: {
                    id: string;
                    name: string;
                } | null;
                teamId: string | null;
                user: {
                    email: string;
                    id: string;
                    name: string;
                };
            }[];
        };
        Memberships: {
            orgs: {
                /** @description The balance; negative when the organization owes money. In USD. */
                credits: number;
                /** @description The id of the organization, used in paths. */
                id: string;
                /**
                 * Format: date-time
                 * @description When the caller joined.
                 */
                joinedAt: string;
                /** @description The caller's own membership. */
                memberId: string;
                /** @description The name. */
                name: string;
                /**
                 * @description What the member may do.
                 * @enum {string}
                 */
                role: "org_admin" | "billing_viewer" | "team_admin" | "member";
                /**
                 * @description Whether the organization is active; keys of a suspended one are refused.
                 * @enum {string}
                 */
                status: "active" | "suspended";
                /** @description The team that the caller is in. */
                teamId: string | null;
            }[];
        };
        ModelUsage: {
            /** @description Its id. */
            model: string;
            /** @description Calls. */
            requests: number;
            /** @description Spent. In USD. */
            spend: number;
            /** @description Tokens of prompts and answers. */
            tokens: number;
        };
        NewKey: {
            /** @description The IP addresses it may be used from; empty for all. */
            allowedCidrs: string[];
            /** @description For how many seconds answers to its calls may be given again from the cache; 0: never; null: the organization decides. */
            cacheTtlSeconds: number | null;
            /**
             * Format: date-time
             * @description When the key was made.
             */
            createdAt: string;
            /** @description True: the key is switched off at once when somebody reports that it was seen in public. */
            disableWhenLeaked: boolean;
            /** @description False: calls with the key are refused. */
            enabled: boolean;
            /** @description When the key expires. */
            expiresAt: string | null;
            /** @description Calls beyond the quota of a free model go on at the paid price. */
            freeFallback: boolean;
            /** @description The id of the key, used in paths. */
            id: string;
            /** @description The secret. It is shown only in this answer. */
            key: string;
            /** @description The first characters of the secret. */
            keyPrefix: string;
            /** @description The last characters of the secret. */
            keySuffix: string;
            /**
             * @description Standard keys call models, management keys manage keys and organizations.
             * @enum {string}
             */
            keyType: "standard" | "management";
            /** @description When it last made a call. */
            lastUsed: string | null;
            /** @description When it was first reported as seen in public; null when it was not. */
            leakedAt: string | null;
            /** @description Where it was seen, in the words of the report. */
            leakPlace: string | null;
            /** @description The name of the key; it cannot be changed. */
            name: string;
            /** @description How many calls it made. */
            requestCount: number;
            /** @description How often the limit starts again at zero; null for a limit that never does. */
            spendLimitPeriod: string | null;
            /** @description What the key may spend in a period; null for no limit. In USD. */
            spendLimitUsd: number | null;
            /** @description What was spent of the limit in its current period; null without a limit. In USD. */
            spendLimitUsedUsd: number | null;
            /** @description What the key has spent in all. In USD. */
            spentUsd: number;
            /** @description Only for keys of organizations: the team that the key belongs to. */
            teamId?: string | null;
            /** @description How many tokens its calls used. */
            totalTokens: number;
            /** @description Only for keys of organizations: the member who holds the key. */
            userId?: string;
        };
        NewKeyBody: {
            /**
             * @description One of standard, management.
             * @enum {string}
             */
            keyType?: "standard" | "management";
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name: string;
        };
        NewMemberBody: {
            /** @description An email address. */
            email: string;
            /** @description An amount in USD from 0 to nine billion, or null. */
            monthlyBudget?: number | null;
            /**
             * @description One of org_admin, billing_viewer, team_admin, member.
             * @enum {string}
             */
            role?: "org_admin" | "billing_viewer" | "team_admin" | "member";
            /** @description An id or null. */
            teamId?: string | null;
        };
        NewOrganization: {
            /** @description The id of the organization, used in paths. */
            id: string;
            /** @description The name. */
            name: string;
        };
        NewOrgBody: {
            /**
             * @description One of prepaid, monthly.
             * @enum {string}
             */
            billingPlan?: "prepaid" | "monthly";
            /** @description An amount in USD with at most nine decimals. */
            creditLineUsd?: number | string;
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name: string;
            /** @description A user's id. */
            ownerUserId: string;
        };
        NewOrgKeyBody: {
            /**
             * @description One of standard, management.
             * @enum {string}
             */
            keyType?: "standard" | "management";
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name: string;
            /** @description A member's user id. */
            userId: string;
        };
        NewTeamBody: {
            /** @description A line of text of 1 to 100 characters, not only spaces or null. */
            costCenterCode?: string | null;
            /** @description A line of text of 1 to 1000 characters, not only spaces or null. */
            description?: string | null;
            /** @description An amount in USD from 0 to nine billion, or null. */
            monthlyBudget?: number | null;
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name: string;
            /** @description A list of at most 100 short texts. */
            permissionScope?: string[];
        };
        NewUser: {
            /** @description The email address. */
            email: string;
            /** @description The id of the user, used in paths. */
            id: string;
            /** @description The name of the user. */
            name: string;
        };
        NewUserBody: {
            /** @description An email address. */
            email: string;
            /** @description A line of text of 1 to 200 characters, not only spaces. */
            name: string;
            /** @description Text of 8 to 1024 characters. */
            password?: string;
        };
        OperatorOverview: {
            /** @description Problems that need attention now; empty when there are none. */
            attention: {
                /** @description How many there are. */
                count: number;
                /**
                 * @description What it is about.
                 * @enum {string}
                 */
                kind: "ledger" | "routes" | "unpriced_models" | "absorbed" | "restricted" | "disk" | "jobs";
                /** @description The problem, and what to do. */
                text: string;
            }[];
            balances: {
                /** @description The sum of all negative balances now. In USD. */
                owedUsd: number;
                /** @description The sum of all positive balances now. In USD. */
                prepaidUsd: number;
            };
            /** @description Days with calls or refunds, in order. */
            byDay: {
                /** @description The cost that was not charged. In USD. */
                absorbedUsd: number;
                /** @description People who called. */
                activeUsers: number;
                /** @description Calls that have a record. */
                calls: number;
                /** @description Tokens of answers. */
                completionTokens: number;
                /** @description What calls cost the operator. In USD. */
                costUsd: number;
                /** @description The day (UTC). */
                date: string;
                /** @description Calls without an answer from upstream. */
                failedCalls: number;
                /** @description Revenue less refunds and cost. In USD. */
                marginUsd: number;
                /** @description The part of the prices beyond the operator's cost, unpaid calls included. In USD. */
                markupUsd: number;
                /** @description Tokens of prompts. */
                promptTokens: number;
                /** @description Charges that were given back on this day, of whatever day they are. In USD. */
                refundsUsd: number;
                /** @description What calls were charged. In USD. */
                revenueUsd: number;
            }[];
            /** @description Hours with calls, in order; for spans of a week at most. */
            byHour: {
                /**
                 * Format: date-time
                 * @description The hour.
                 */
                at: string;
                /** @description Calls that have a record. */
                calls: number;
                /** @description What calls were charged. In USD. */
                revenueUsd: number;
                /** @description Of prompts and answers. */
                tokens: number;
            }[];
            /** @description The first day (UTC). */
            from: string;
            /** @description Credits, refunds and corrections, by kind. */
            money: {
                /** @description Positive when customers got it. In USD. */
                amountUsd: number;
                /** @description How many entries. */
                entries: number;
                /**
                 * @description As on statements.
                 * @enum {string}
                 */
                kind: "top_up" | "credit" | "welcome_credit" | "code_credit" | "payment" | "charge" | "adjustment" | "refund" | "reversal" | "reversal_undone";
            }[];
            /** @description The last day (UTC). */
            to: string;
            /** @description By revenue. */
            topAccounts: {
                accountId: string;
                /** @description Calls that have a record. */
                calls: number;
                /** @description Tokens of answers. */
                completionTokens: number;
                /** @description Calls without an answer from upstream. */
                failedCalls: number;
                /** @description The part of the prices beyond the operator's cost, unpaid calls included. In USD. */
                markupUsd: number;
                /** @description The name; null when it is no longer known. */
                name: string | null;
                /** @description Tokens of prompts. */
                promptTokens: number;
                /** @description What calls were charged. In USD. */
                revenueUsd: number;
            }[];
            /** @description By revenue. */
            topKeys: {
                /** @description Whose account it spends from. */
                accountId: string | null;
                accountName: string | null;
                /** @description Calls that have a record. */
                calls: number;
                /** @description Tokens of answers. */
                completionTokens: number;
                /** @description Calls without an answer from upstream. */
                failedCalls: number;
                /** @description A key's id, or that of a student's session. */
                keyId: string;
                /** @description The part of the prices beyond the operator's cost, unpaid calls included. In USD. */
                markupUsd: number;
                /** @description The name; null when it is no longer known. */
                name: string | null;
                /** @description Tokens of prompts. */
                promptTokens: number;
                /** @description What calls were charged. In USD. */
                revenueUsd: number;
            }[];
            /** @description By revenue. */
            topModels: {
                /** @description Calls that have a record. */
                calls: number;
                /** @description Tokens of answers. */
                completionTokens: number;
                /** @description Calls without an answer from upstream. */
                failedCalls: number;
                /** @description The part of the prices beyond the operator's cost, unpaid calls included. In USD. */
                markupUsd: number;
                model: string;
                /** @description Tokens of prompts. */
                promptTokens: number;
                /** @description What calls were charged. In USD. */
                revenueUsd: number;
            }[];
            totals: {
                /** @description The cost of calls that was not charged. In USD. */
                absorbedUsd: number;
                /** @description People who called. */
                activeUsers: number;
                /** @description Calls that have a record. */
                calls: number;
                /** @description Tokens of answers. */
                completionTokens: number;
                /** @description What all calls cost the operator, those included that nobody paid. In USD. */
                costUsd: number;
                /** @description Calls without an answer from upstream. */
                failedCalls: number;
                /** @description Revenue less refunds and cost. In USD. */
                marginUsd: number;
                /** @description The part of the prices beyond the operator's cost, unpaid calls included. In USD. */
                markupUsd: number;
                /** @description New accounts. */
                newUsers: number;
                /** @description Tokens of prompts. */
                promptTokens: number;
                /** @description Charges that were given back. In USD. */
                refundsUsd: number;
                /** @description Calls that were refused before a provider was asked, with those that were only counted. */
                refusedCalls: number;
                /** @description What calls were charged. In USD. */
                revenueUsd: number;
            };
        };
        Organization: {
            /**
             * @description Whether the organization pays in advance or after each month.
             * @enum {string}
             */
            billingPlan: "prepaid" | "monthly";
            /** @description How far it may go below zero; null for prepaid. In USD. */
            creditLine: number | null;
            /** @description The balance; negative when the organization owes money. In USD. */
            credits: number;
            /** @description The id of the organization, used in paths. */
            id: string;
            /** @description How many members it has. */
            memberCount: number;
            /** @description The name. */
            name: string;
            /** @description How many members it has room for. */
            seats: number;
            settings: {
                /** @description True: members share the cache of answers. */
                cacheShared: boolean;
                /** @description For how many seconds answers may be given again from the cache, where neither the call nor its key says otherwise; 0: never. */
                cacheTtlSeconds: number | null;
                /** @description What a new member may spend in a month; null for no limit. In USD. */
                defaultMemberBudget: number | null;
                /** @description Its pages open only for members who signed in with a second factor. */
                needsSecondFactor: boolean;
                /** @description True: administrators of teams may invite people. */
                teamAdminsMayInvite: boolean;
                /** @description Whether prompts and answers are kept, and how; null: they are not. */
                transcripts: {
                    /** @description For how many days prompts and answers are kept. */
                    days: number;
                    /** @description Which roles may read them. */
                    readers: string[];
                    /** @description Of how many percent of the calls. */
                    samplePercent: number;
                } | null;
            };
            /** @description How many teams it has. */
            teamCount: number;
        };
        OrganizationList: {
            /** @description The `cursor` of the page that follows; null on the last one. */
            next: string | null;
            orgs: {
                /** @description The balance; negative when the organization owes money. In USD. */
                balanceUsd: number;
                /**
                 * Format: date-time
                 * @description When it was founded.
                 */
                createdAt: string;
                /** @description The id of the organization, used in paths. */
                id: string;
                /** @description The name. */
                name: string;
                /** @description True: the organization is suspended, and its keys are refused. */
                suspended: boolean;
            }[];
        };
        OrganizationState: {
            /** @description The balance; negative when the organization owes money. In USD. */
            balanceUsd: number;
            /**
             * @description Whether the organization pays in advance or after each month.
             * @enum {string}
             */
            billingPlan: "prepaid" | "monthly";
            /** @description How far it may go below zero; null for prepaid. In USD. */
            creditLineUsd: number | null;
            /** @description The id of the organization, used in paths. */
            id: string;
            /** @description The mail domains of people that it may add directly, once vouched for; empty: all. */
            memberDomains: string[];
            /** @description The name. */
            name: string;
            /** @description How many members it has room for. */
            seats: number;
            /** @description True: the organization is suspended, and its keys are refused. */
            suspended: boolean;
            /** @description True: the operator opened the organization or vouches for it, so it may add members directly and send mail to students. */
            vouched: boolean;
        };
        OrgBreaker: {
            /** @description The values that apply where nothing is set here. */
            inheritedSettings: {
                cbEnabled: {
                    /**
                     * @description Which layer the value comes from.
                     * @enum {string}
                     */
                    from: "team" | "org" | "platform";
                    value: boolean;
                };
                cbHourlyUsd: {
                    /**
                     * @description Which layer the value comes from.
                     * @enum {string}
                     */
                    from: "team" | "org" | "platform";
                    value: number;
                };
                cbMinuteUsd: {
                    /**
                     * @description Which layer the value comes from.
                     * @enum {string}
                     */
                    from: "team" | "org" | "platform";
                    value: number;
                };
            };
            liveSpend: {
                /** @description Spent in this hour. In USD. */
                hourSpend: number;
                /** @description Spent in this minute. In USD. */
                minuteSpend: number;
            };
            /** @description What applies, with inherited values. */
            resolvedSettings: {
                cbEnabled: boolean;
                cbHourlyUsd: number;
                cbMinuteUsd: number;
            };
            /** @description What is set here; null means inherited. */
            settings: {
                cbEnabled: boolean | null;
                cbHourlyUsd: number | null;
                cbMinuteUsd: number | null;
            };
        };
        OrgChangesBody: {
            /**
             * @description One of prepaid, monthly.
             * @enum {string}
             */
            billingPlan?: "prepaid" | "monthly";
            /** @description An amount in USD with at most nine decimals. */
            creditLineUsd?: number | string;
            /** @description A list of at most 100 domains. */
            memberDomains?: string[];
            /** @description A whole number from 1 to 1000000. */
            seats?: number;
            /** @description True or false. */
            suspended?: boolean;
            /** @description True or false. */
            vouched?: boolean;
        };
        RateLimit: {
            /** @description How long an interval is, such as `1m`. */
            interval: string;
            /** @description Who shares the limit. */
            note: string;
            /** @description How many requests are allowed in an interval. */
            requests: number;
        };
        Receipt: {
            /** @description Whose account was credited. */
            accountId: string;
            /** @description The currency of the payment. */
            channel: string;
            /** @description What is credited. In USD. */
            creditUsd: number;
            /** @description The same as the channel. */
            currency: string;
            /** @description Units of the currency for one USD, as exact decimal text. */
            exchangeRate: string;
            /** @description Ten percent of the credit. In USD. */
            feeUsd: number;
            /** @description Who issued it. */
            issuer: string;
            /**
             * Format: date-time
             * @description When it was paid.
             */
            paidAt: string;
            /** @description The payment provider. */
            provider: string;
            /** @description The payment provider's own id of it. */
            providerReference: string | null;
            /** @description The id of the top-up. */
            receiptNumber: string;
            /** @description The rounding of the sum to whole cents; may be negative. In USD. */
            roundingUsd: number;
            /** @description What is charged, in units of the currency. */
            total: number;
            /** @description The sum. In USD. */
            totalUsd: number;
            /** @description Five percent of the credit where the channel is a local currency. In USD. */
            vatUsd: number;
        };
        RedeemBody: {
            /** @description The code. */
            code: string;
        };
        Redeemed: {
            /** @description What the code is worth. In USD. */
            amountUsd: number;
            /** @description The balance after this. In USD. */
            balanceUsd: number;
            /** @description True: this account had redeemed the code before, and nothing was added now. */
            repeated: boolean;
        };
        RefundBody: {
            /** @description Text of 1 to 500 characters; the holder of the account reads it. */
            reason: string;
        };
        Refunded: {
            /** @description Who was charged. */
            accountId: string;
            /** @description The balance after this. In USD. */
            balanceUsd: number;
            /** @description The number of the entry in the journal; the same when the request is repeated. */
            entryId: string;
            /** @description What the call was charged. In USD. */
            refundedUsd: number;
        };
        ReportByMember: {
            members: {
                email: string | null;
                /** @description Null for people who have left. */
                memberId: string | null;
                name: string | null;
                /** @description Calls in the month. */
                requests: number;
                /** @description Spent in the month. In USD. */
                spend: number;
                /** @description The present team. */
                team: {
                    id: string;
                    name: string;
                } | null;
                /** @description Tokens in the month. */
                tokens: number;
                userId: string;
            }[];
            month: number;
            year: number;
        };
        ReportByModel: {
            models: {
                /** @description For a million tokens; null for what is not billed by tokens. In USD. */
                avgPricePer1M: number | null;
                model: string;
                /** @description Calls in the month. */
                requests: number;
                /** @description Spent in the month. In USD. */
                spend: number;
                /** @description Tokens in the month. */
                tokens: number;
            }[];
            month: number;
            year: number;
        };
        ReportByTeam: {
            month: number;
            teams: {
                /** @description Null without a budget, and with a budget of 0. */
                budgetUtilizationPct: number | null;
                models: {
                    model: string;
                    spend: number;
                }[];
                /** @description What the team may spend in a month. In USD. */
                monthlyBudget: number | null;
                /** @description Null for no team, and for one that has been deleted since. */
                name: string | null;
                /** @description The share of the organization's spending in the month, in percent. */
                sharePct: number;
                /** @description Spent in the month. In USD. */
                spend: number;
                /** @description Null for calls that were made in no team. */
                teamId: string | null;
            }[];
            year: number;
        };
        ReportOverview: {
            /** @description Every day of the month that has begun. */
            dailyTrend: {
                date: string;
                spend: number;
            }[];
            /** @description (spend - upstream cost) / spend, of the calls that were charged; 0 at list price, and when nothing was spent. */
            marginRate: number;
            month: number;
            /** @description What calls that were answered from the cache would have cost. In USD. */
            savedByCache: number;
            /** @description Spent in the month. In USD. */
            totalSpend: number;
            year: number;
        };
        Statement: {
            /** @description What marking it as paid would credit now. In USD. */
            dueUsd: number;
            /** @description By model. */
            lines: {
                amountUsd: number;
                model: string;
                requests: number;
            }[];
            month: number;
            orgId: string;
            /** @description What was paid of it. In USD. */
            paidUsd: number;
            payments: {
                amountUsd: number;
                note: string;
                /**
                 * Format: date-time
                 * @description When it was marked.
                 */
                paidAt: string;
                reference: string;
            }[];
            /**
             * @description `open`: the month is not over. `issued`: over and not marked as paid.
             * @enum {string}
             */
            state: "open" | "issued" | "paid";
            /** @description What was spent. In USD. */
            totalUsd: number;
            year: number;
        };
        StatementEntry: {
            /** @description The amount; negative when it lowered the balance. In USD. */
            amountUsd: number;
            /**
             * Format: date-time
             * @description When it was entered.
             */
            at: string;
            /** @description The balance after the entry. In USD. */
            balanceUsd: number;
            /** @description With by=day: how many charges the row stands for. */
            calls: number | null;
            /** @description The call that was charged or refunded. */
            generationId: string | null;
            /** @description Its number in the journal; with by=day, that of the last charge of the day. */
            id: string;
            /**
             * @description `top_up` was bought, `credit` given by the operator, `payment` settles a month; `reversal` goes back with a payment.
             * @enum {string}
             */
            kind: "top_up" | "credit" | "welcome_credit" | "code_credit" | "payment" | "charge" | "adjustment" | "refund" | "reversal" | "reversal_undone";
            /** @description The model, as long as the record of the call is kept. */
            model: string | null;
            /** @description The note of the entry. */
            note: string | null;
            /** @description The reference of the payment, or the one that the operator gave. */
            reference: string | null;
        };
        StatementPaidBody: {
            /** @description Text of at most 500 characters. */
            note?: string;
            /** @description Text of 1 to 200 characters. */
            reference: string;
        };
        Team: {
            costCenterCode: string | null;
            description: string | null;
            /** @description The id of the team, used in paths. */
            id: string;
            /** @description How many members it has. */
            memberCount: number;
            /** @description What it may spend in a month; null for no limit. In USD. */
            monthlyBudget: number | null;
            /** @description Unique in the organization. */
            name: string;
            permissionScope: string[];
        };
        TeamList: {
            teams: {
                costCenterCode: string | null;
                description: string | null;
                /** @description The id of the team, used in paths. */
                id: string;
                /** @description How many members it has. */
                memberCount: number;
                /** @description What it may spend in a month; null for no limit. In USD. */
                monthlyBudget: number | null;
                /** @description Spent in this month (UTC). In USD. */
                monthSpend: number;
                /** @description Unique in the organization. */
                name: string;
                permissionScope: string[];
            }[];
        };
        TopUp: {
            /** @description A saved card paid for it, because the balance ran low. */
            automatic: boolean;
            /** @description The currency of the payment. */
            channel: string;
            /** @description Where to pay; null when it can no longer be paid. */
            checkoutUrl: string | null;
            /**
             * Format: date-time
             * @description When it was ordered.
             */
            createdAt: string;
            /** @description What is credited. In USD. */
            creditUsd: number;
            /** @description The same as the channel. */
            currency: string;
            /** @description Units of the currency for one USD, as exact decimal text. */
            exchangeRate: string;
            /** @description Ten percent of the credit. In USD. */
            feeUsd: number;
            /** @description The id of the top-up, used in paths. */
            id: string;
            /** @description When it was paid. */
            paidAt: string | null;
            /** @description The payment provider. */
            provider: string;
            /** @description How much of the credit was taken back because the payment was refunded or disputed. In USD. */
            reclaimedUsd: number;
            /** @description The rounding of the sum to whole cents; may be negative. In USD. */
            roundingUsd: number;
            /**
             * @description The state of the top-up.
             * @enum {string}
             */
            state: "created" | "expired" | "paying" | "paid";
            /** @description What is charged, in units of the currency. */
            total: number;
            /** @description The sum. In USD. */
            totalUsd: number;
            /** @description Five percent of the credit where the channel is a local currency. In USD. */
            vatUsd: number;
        };
        TopUpBody: {
            /** @description The credit to buy, in USD with at most two decimals. */
            amountUsd: number | string;
            /** @description The currency to pay in. */
            channel?: string;
            /** @description The name of a payment provider. */
            provider?: string;
        };
        TopUpList: {
            data: components["schemas"]["TopUp"][];
            /** @description The `after` of the page that follows; null on the last one. */
            next: string | null;
        };
        TopUpPrice: {
            /** @description The currency of the payment. */
            channel: string;
            /** @description What is credited. In USD. */
            creditUsd: number;
            /** @description The same as the channel. */
            currency: string;
            /** @description Units of the currency for one USD, as exact decimal text. */
            exchangeRate: string;
            /** @description Ten percent of the credit. In USD. */
            feeUsd: number;
            /** @description The rounding of the sum to whole cents; may be negative. In USD. */
            roundingUsd: number;
            /** @description What is charged, in units of the currency. */
            total: number;
            /** @description The sum. In USD. */
            totalUsd: number;
            /** @description Five percent of the credit where the channel is a local currency. In USD. */
            vatUsd: number;
        };
        Usage: {
            byApp: components["schemas"]["AppUsage"][];
            byKey: components["schemas"]["KeyUsage"][];
            byModel: components["schemas"]["ModelUsage"][];
            /** @description The account's balance. In USD. */
            credits: number;
            /**
             * @description What was asked for.
             * @enum {string}
             */
            period: "day" | "week" | "month" | "year" | "24h" | "7d" | "30d" | "90d" | "custom";
            /** @description Only with `compare`: the span of the same length just before. */
            previous?: {
                /**
                 * Format: date-time
                 * @description The beginning of the span.
                 */
                since: string;
                totals: components["schemas"]["UsageTotals"];
            };
            /** @description Only with `series`: the days of those that spent most, by date. */
            series?: components["schemas"]["UsageSeriesDay"][];
            /**
             * Format: date-time
             * @description The beginning of the span.
             */
            since: string;
            /** @description By date. */
            timeSeries: {
                /** @description Spent. In USD. */
                cost: number;
                /** @description The day (UTC); by the hour, the moment at which it begins. */
                date: string;
                model: string;
                /** @description Calls. */
                requests: number;
                /** @description Tokens. */
                tokens: number;
            }[];
            totals: components["schemas"]["UsageTotals"];
        };
        UsageSeriesDay: {
            /** @description Spent. In USD. */
            cost: number;
            /** @description The day (UTC); by the hour, the moment at which it begins. */
            date: string;
            id: string;
            name: string | null;
            /** @description Calls. */
            requests: number;
            /** @description Tokens. */
            tokens: number;
        };
        UsageTotals: {
            /** @description Tokens of answers; not told of 24 hours. */
            completionTokens?: number;
            /** @description Tokens of prompts; not told of 24 hours. */
            promptTokens?: number;
            /** @description Calls. */
            requests: number;
            /** @description Spent. In USD. */
            spend: number;
            /** @description Tokens of prompts and answers. */
            tokens: number;
        };
        User: {
            /** @description The email address. */
            email: string;
            /** @description The id of the user, used in paths. */
            id: string;
            /** @description The name of the user. */
            name: string;
            /** @description True: the user cannot sign in, and all calls are refused. */
            suspended: boolean;
        };
        UserChangesBody: {
            /** @description True or false. */
            suspended?: boolean;
        };
        UserDetail: {
            /** @description The balance. In USD. */
            balanceUsd: number;
            /**
             * Format: date-time
             * @description When the account was created.
             */
            createdAt: string;
            /** @description The email address. */
            email: string;
            /** @description The id of the user, used in paths. */
            id: string;
            /** @description How many keys the user has, in all accounts, without revoked ones. */
            keyCount: number;
            /** @description The name of the user. */
            name: string;
            /** @description Where the user is a member. */
            organizations: {
                id: string;
                name: string;
                role: string;
            }[];
            /** @description True: the user cannot sign in, and all calls are refused. */
            suspended: boolean;
        };
        UserList: {
            /** @description The `cursor` of the page that follows; null on the last one. */
            next: string | null;
            users: {
                /** @description The balance. In USD. */
                balanceUsd: number;
                /**
                 * Format: date-time
                 * @description When the account was created.
                 */
                createdAt: string;
                /** @description The email address. */
                email: string;
                /** @description The id of the user, used in paths. */
                id: string;
                /** @description The name of the user. */
                name: string;
                /** @description True: the user cannot sign in, and all calls are refused. */
                suspended: boolean;
            }[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getAdminV1Calls: {
        parameters: {
            query?: {
                app?: string;
                cursor?: string;
                format?: "json" | "csv";
                from?: string;
                id?: string;
                key?: string;
                limit?: number;
                model?: string;
                org?: string;
                outcome?: "ok" | "failed" | "abandoned" | "refused";
                provider?: string;
                status?: string;
                to?: string;
                user?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallLog"];
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1GenerationsIdExplain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explanation"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1GenerationsIdRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refunded"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAdminV1KeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchAdminV1KeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeySwitchBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyChanged"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1KeysLeaked: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeakReportBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeakedKeyList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1Orgs: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                order?: "asc" | "desc";
                query?: string;
                sort?: "created" | "name" | "balance";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1Orgs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrgBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewOrganization"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1OrgsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationState"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchAdminV1OrgsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrgChangesBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganizationState"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1OrgsIdAdjustments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdjustmentBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Adjusted"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1OrgsIdCredits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreditBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1OrgsIdEntries: {
        parameters: {
            query?: {
                by?: "call" | "day";
                cursor?: string;
                format?: "json" | "csv";
                from?: string;
                limit?: number;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountStatement"];
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1OrgsIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1OrgsIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrgKeyBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1OrgsIdMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAdminV1OrgsIdSignOn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1OrgsIdStatements: {
        parameters: {
            query: {
                month: number;
                year: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1OrgsIdStatementsMonthPaid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                month: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StatementPaidBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1OrgsIdUsage: {
        parameters: {
            query?: {
                api_key_id?: string;
                app?: string;
                by?: "day" | "hour";
                compare?: "previous";
                format?: "json" | "csv";
                from?: string;
                model?: string;
                period?: "day" | "week" | "month" | "year" | "24h" | "7d" | "30d" | "90d" | "custom";
                series?: "key" | "app";
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1Overview: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorOverview"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1Users: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                order?: "asc" | "desc";
                query?: string;
                sort?: "created" | "name" | "email" | "balance";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1Users: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewUserBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewUser"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1UsersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserDetail"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchAdminV1UsersId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserChangesBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1UsersIdAdjustments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdjustmentBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Adjusted"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1UsersIdCredits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreditBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1UsersIdEntries: {
        parameters: {
            query?: {
                by?: "call" | "day";
                cursor?: string;
                format?: "json" | "csv";
                from?: string;
                limit?: number;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountStatement"];
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteAdminV1UsersIdFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1UsersIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postAdminV1UsersIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKeyBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getAdminV1UsersIdUsage: {
        parameters: {
            query?: {
                api_key_id?: string;
                app?: string;
                by?: "day" | "hour";
                compare?: "previous";
                format?: "json" | "csv";
                from?: string;
                model?: string;
                period?: "day" | "week" | "month" | "year" | "24h" | "7d" | "30d" | "90d" | "custom";
                series?: "key" | "app";
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdAllowedModels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllowedModels"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchApiOrgsOrgIdAllowedModels: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllowedModelsBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllowedModels"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdAuditLog: {
        parameters: {
            query?: {
                action?: string;
                actor?: string;
                cursor?: string;
                from?: string;
                limit?: number;
                target?: string;
                to?: string;
            };
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdCircuitBreaker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgBreaker"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchApiOrgsOrgIdCircuitBreaker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BreakerBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrgBreaker"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postApiOrgsOrgIdInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMemberBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteApiOrgsOrgIdInvitationsInvitationId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invitationId: string;
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postApiOrgsOrgIdKeys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOrgKeyBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteApiOrgsOrgIdKeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchApiOrgsOrgIdKeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeKeyBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyChanged"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdReportsByMember: {
        parameters: {
            query: {
                month: number;
                year: number;
            };
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportByMember"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdReportsByModel: {
        parameters: {
            query: {
                month: number;
                year: number;
            };
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportByModel"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdReportsByTeam: {
        parameters: {
            query?: {
                month?: number;
                year?: number;
            };
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportByTeam"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdReportsExport: {
        parameters: {
            query: {
                month: number;
                view: "overview" | "by-team" | "by-model" | "by-member";
                year: number;
            };
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getApiOrgsOrgIdReportsOverview: {
        parameters: {
            query?: {
                month?: number;
                year?: number;
            };
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportOverview"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1Credits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credits"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postV1CreditsRedeem: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeemBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redeemed"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1CreditsTopups: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopUpList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postV1CreditsTopups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopUpBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopUp"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1CreditsTopupsId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopUp"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1CreditsTopupsIdReceipt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                    "text/plain": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1CreditsTopupsQuote: {
        parameters: {
            query: {
                amountUsd: string;
                channel?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopUpPrice"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1Generation: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Generation"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1GenerationContent: {
        parameters: {
            query: {
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GenerationContent"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1Key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyInfo"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1Keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postV1Keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateKeyBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteV1KeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchV1KeysId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeKeyBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyChanged"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postV1KeysLeaked: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeakReportBody"];
            };
        };
        responses: {
            /** @description Success. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeakReportReceived"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1Orgs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Memberships"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1OrgsOrgId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchV1OrgsOrgId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeOrgBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Organization"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1OrgsOrgIdMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postV1OrgsOrgIdMembers: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMemberBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description Success. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitation"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteV1OrgsOrgIdMembersMemberId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                memberId: string;
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchV1OrgsOrgIdMembersMemberId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                memberId: string;
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeMemberBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1OrgsOrgIdStatement: {
        parameters: {
            query?: {
                by?: "call" | "day";
                cursor?: string;
                format?: "json" | "csv";
                from?: string;
                limit?: number;
                to?: string;
            };
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountStatement"];
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1OrgsOrgIdTeams: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TeamList"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    postV1OrgsOrgIdTeams: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTeamBody"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    deleteV1OrgsOrgIdTeamsTeamId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
                teamId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patchV1OrgsOrgIdTeamsTeamId: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                orgId: string;
                teamId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTeamBody"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Team"];
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1Statement: {
        parameters: {
            query?: {
                by?: "call" | "day";
                cursor?: string;
                format?: "json" | "csv";
                from?: string;
                limit?: number;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountStatement"];
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    getV1Usage: {
        parameters: {
            query?: {
                api_key_id?: string;
                app?: string;
                by?: "day" | "hour";
                compare?: "previous";
                format?: "json" | "csv";
                from?: string;
                model?: string;
                period?: "day" | "week" | "month" | "year" | "24h" | "7d" | "30d" | "90d" | "custom";
                series?: "key" | "app";
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Usage"];
                    "text/csv": unknown;
                };
            };
            /** @description It was refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
