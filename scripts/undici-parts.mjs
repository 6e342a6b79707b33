// Stands for `undici` in the one file that is shipped: its client for HTTP without `fetch`, caches, mocks and
// WebSockets, which load much of Node along with them and which the gateway does not use. The build fails when the
// gateway imports a name that is missing here.

import api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Client from 'undici/lib/dispatcher/client.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';

Object.assign(Dispatcher.prototype, api);
const shared = new Agent();

function request(url, { dispatcher = shared, ...options } = {}) {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ method: 'GET', ...options, origin, path: pathname + search });
}

export { Agent, buildConnector, Client, Pool, request };
