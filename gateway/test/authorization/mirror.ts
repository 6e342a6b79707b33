// The world from the other side: Bob has what Ann has, and Globex what Acme has. Whatever is made for Ann's world can so
// be made for Bob's, and each of them can be asked about the other's.

import { signIn } from './sign-in.ts';
import { type Kind, PASSWORD, provisioningToken, type World } from './world.ts';

export async function mirror(world: World): Promise<World> {
  const { harness, ann, bob, acme, globex, globexAdmin } = world;
  const headers: Record<Kind, Record<string, string>> = {
    ...world.headers,
    standardOwn: world.headers.standardForeign,
    managementOwn: world.headers.managementForeign,
    orgAdmin: globexAdmin,
    cookie: await signIn(harness, bob.email, PASSWORD),
    directory: { Authorization: `Bearer ${await provisioningToken(harness, globex.orgId, globexAdmin)}` },
  };
  const call = await harness.request('POST', '/v1/chat/completions', {
    headers: headers.standardOwn,
    body: { model: 'openai/test', messages: [{ role: 'user', content: 'Hello.' }] },
  });
  const others = { globexAdmin: world.headers.orgAdmin, annsGenerationId: String(call.body.id) };
  // Globex has one member, who also holds what a plain member of Acme does.
  return { ...world, ...others, ann: bob, bob: ann, mia: bob, acme: globex, globex: acme, headers };
}
