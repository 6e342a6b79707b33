// Every name by which a request can refer to something kept in an account at a provider, its place in each format, and
// what the gateway does with it.

import type { Json } from '../harness.ts';
import { KEPT } from './keeping-provider.ts';

export type FormatName =
  | 'chat'
  | 'completions'
  | 'responses'
  | 'messages'
  | 'embeddings'
  | 'images'
  | 'moderation'
  | 'rerank'
  | 'speech'
  | 'transcription'
  | 'video';

export type NamedState = Readonly<{
  name: string;
  formats: readonly FormatName[];
  /** The call is refused, or goes on without the name. */
  fate: 'refused' | 'left out';
  /** Laid over an ordinary body of the format. */
  body: Json;
}>;

const EVERY: readonly FormatName[] = [
  'chat',
  'completions',
  'responses',
  'messages',
  'embeddings',
  'images',
  'moderation',
  'rerank',
  'speech',
  'transcription',
];
const TALK: readonly FormatName[] = ['chat', 'responses', 'messages'];

const row = (name: string, fate: NamedState['fate'], formats: readonly FormatName[], body: Json): NamedState => ({
  name,
  fate,
  formats,
  body,
});

const field = (name: string, fate: NamedState['fate'], value: unknown = KEPT): NamedState =>
  row(name, fate, EVERY, { [name]: value });

const fields: readonly NamedState[] = [
  ...['assistant_id', 'conversation_id', 'thread_id', 'request_id', 'workspace_id', 'user_profile_id'].map((name) =>
    field(name, 'left out'),
  ),
  ...['model_id', 'deployment_id', 'preset', 'dataset_id', 'knowledge_base_id', 'image_reference'].map((name) =>
    field(name, 'left out'),
  ),
  ...['file_id', 'container_id', 'cached_content', 'lora_id', 'adapter_id', 'connector_id', 'server_url'].map((name) =>
    field(name, 'refused'),
  ),
  ...['vector_store_ids', 'file_ids'].map((name) => field(name, 'refused', [KEPT])),
  field('data_sources', 'refused', [{ type: 'search', parameters: { index: KEPT } }]),
  field('deferred', 'left out', KEPT),
  field('extra_body', 'left out', { google: { cached_content: KEPT } }),
  field('nested', 'refused', { deep: [{ deeper: { file_id: KEPT } }] }),
  ...['corpus_id', 'corpus_ids', 'style_reference', 'fileId', 'vectorStoreIds', 'imageReference'].map((name) =>
    row(`an unknown ${name}, outside and inside`, 'left out', EVERY, {
      [name]: KEPT,
      nested: { deep: [{ [name]: KEPT, deeper: { [name]: [KEPT] } }] },
    }),
  ),
  row('store', 'left out', ['chat', 'messages', 'embeddings', 'images'], { store: KEPT }),
  row('mcp_servers', 'refused', TALK, { mcp_servers: [{ type: 'url', url: `https://${KEPT}.example` }] }),
  row('container', 'left out', ['messages'], { container: KEPT }),
  row('container with skills', 'left out', ['messages'], { container: { id: KEPT, skills: [{ skill_id: KEPT }] } }),
  row('conversation', 'left out', ['chat', 'messages'], { conversation: { id: KEPT } }),
  row('conversation of a response', 'refused', ['responses'], { conversation: { id: KEPT } }),
  row('prompt', 'left out', ['chat', 'messages'], { prompt: { id: KEPT } }),
  row('prompt of a response', 'refused', ['responses'], { prompt: { id: KEPT } }),
  row('previous_response_id', 'left out', ['chat', 'messages'], { previous_response_id: KEPT }),
  row('previous_response_id of a response', 'refused', ['responses'], { previous_response_id: KEPT }),
  row('diagnostics', 'left out', ['messages'], { diagnostics: { previous_message_id: KEPT } }),
  row('fallback_credit_token', 'left out', ['messages'], { fallback_credit_token: KEPT }),
  row('thread', 'refused', ['messages'], { thread: { type: 'continue', previous_message_id: KEPT } }),
  row('members of plugins', 'refused', TALK, { plugins: [{ id: 'web', file_id: KEPT }] }),
  row('addresses of sound', 'left out', ['transcription'], { source_url: `https://${KEPT}.example` }),
];

/** A video is ordered in the gateway's own words, so nothing else is sent. */
const videos: readonly NamedState[] = [
  ...['file_id', 'video_id', 'remixed_from_video_id', 'container_id', 'voice_id'].map((name) =>
    row(`${name} of a video`, 'left out', ['video'], { [name]: KEPT }),
  ),
  row('what is nested in a video', 'left out', ['video'], { extra_body: { file_id: KEPT }, nested: { file_id: KEPT } }),
  row('input_reference.file_id', 'refused', ['video'], { input_reference: { file_id: KEPT } }),
];

const said = (role: string, part: Json): Json => ({
  messages: [
    { role: 'user', content: 'Hi.' },
    { role, content: [{ type: 'text', text: 'Look.' }, part] },
  ],
});

const parts: readonly NamedState[] = [
  row('file.file_id', 'refused', ['chat'], said('user', { type: 'file', file: { file_id: KEPT } })),
  row(
    'file.id',
    'refused',
    ['chat'],
    said('user', { type: 'file', file: { id: KEPT, file_data: 'data:a/b;base64,AA==' } }),
  ),
  row(
    'image_url.file_id',
    'refused',
    ['chat'],
    said('user', { type: 'image_url', image_url: { url: 'https://a.example/b.png', file_id: KEPT } }),
  ),
  row('audio.id', 'refused', ['chat'], { messages: [{ role: 'assistant', audio: { id: KEPT } }] }),
  row('an uploaded file', 'refused', ['messages'], said('user', { type: 'container_upload', file_id: KEPT })),
  row(
    'an uploaded file said by the model',
    'refused',
    ['messages'],
    said('assistant', { type: 'container_upload', file_id: KEPT }),
  ),
  row(
    'a file as source',
    'refused',
    ['messages'],
    said('user', { type: 'document', source: { type: 'file', file_id: KEPT } }),
  ),
  row('an unknown block', 'refused', ['messages'], said('user', { type: 'new_block', source: { file_id: KEPT } })),
  row('a file in the system prompt', 'refused', ['messages'], {
    system: [
      { type: 'text', text: 'x' },
      { type: 'document', source: { type: 'file', file_id: KEPT } },
    ],
  }),
  row('a file in a result of a tool', 'refused', ['messages'], {
    messages: [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'container_upload', file_id: KEPT }] }],
      },
    ],
  }),
  row('an unknown reference of a part', 'left out', ['chat', 'messages'], {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi.', corpus_id: KEPT, of: { corpus_id: KEPT } }] }],
  }),
  row('a text that is the name of a file', 'refused', ['chat', 'messages'], {
    messages: [{ role: 'user', content: `fileid://${KEPT}` }],
  }),
  row('a part that is the name of a file', 'refused', TALK, {
    ...said('user', { type: 'text', text: `fileid://${KEPT}` }),
    input: [{ role: 'user', content: [{ type: 'input_text', text: `fileid://${KEPT}` }] }],
  }),
  row('a file that code has made', 'left out', ['messages'], {
    messages: [
      { role: 'user', content: 'Hi.' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'x' },
          {
            type: 'code_execution_tool_result',
            tool_use_id: 's1',
            content: { type: 'code_execution_result', content: [{ type: 'code_execution_output', file_id: KEPT }] },
          },
        ],
      },
      { role: 'user', content: 'Go on.' },
    ],
  }),
];

const items: readonly NamedState[] = [
  ...[
    { type: 'image_generation_call', id: KEPT },
    { type: 'code_interpreter_call', id: 'ci', container_id: KEPT, code: '1', outputs: [] },
    { type: 'shell_call', id: KEPT },
    { type: 'file_search_call', id: KEPT, queries: [] },
    { type: 'mcp_approval_response', approval_request_id: KEPT, approve: true },
    { type: 'never_heard_of', id: KEPT },
    { type: 'image_generation_call', id: KEPT, result: '' },
    { type: 'image_generation_call', id: KEPT, status: 'completed', result: 'iVBORw0KGgo=' },
    { type: 'reasoning', id: KEPT, summary: [] },
    { type: 'reasoning', id: KEPT, summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
  ].map((item) =>
    row(`${Object.keys(item).join(' ')} of ${item.type} among the items`, 'left out', ['responses'], {
      input: [item, { role: 'user', content: 'Hi.' }],
    }),
  ),
  row('item_reference', 'refused', ['responses'], { input: [{ type: 'item_reference', id: KEPT }] }),
  row('computer_call_output.file_id', 'refused', ['responses'], {
    input: [
      { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', file_id: KEPT } },
      { role: 'user', content: 'Hi.' },
    ],
  }),
  row('input_image.file_id', 'refused', ['responses'], {
    input: [{ role: 'user', content: [{ type: 'input_image', file_id: KEPT }] }],
  }),
  row('citations of a container', 'left out', ['responses'], {
    input: [
      { role: 'user', content: 'Hi.' },
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [
          {
            ...{ type: 'output_text', text: 'x' },
            annotations: [{ type: 'container_file_citation', container_id: KEPT, file_id: KEPT }],
          },
        ],
      },
      { role: 'user', content: 'Hi.' },
    ],
  }),
];

const tools: readonly NamedState[] = [
  row('a file search', 'refused', ['chat', 'responses'], {
    tools: [{ type: 'file_search', vector_store_ids: [KEPT] }],
  }),
  row('a remote server', 'refused', ['responses'], { tools: [{ type: 'mcp', server_label: 'x', server_url: KEPT }] }),
  row('a connector', 'refused', ['responses'], { tools: [{ type: 'mcp', server_label: 'x', connector_id: KEPT }] }),
  row('a toolset of a remote server', 'refused', ['messages'], {
    tools: [{ type: 'mcp_toolset', mcp_server_name: KEPT }],
  }),
  row('a container for code', 'refused', ['responses'], { tools: [{ type: 'code_interpreter', container: KEPT }] }),
  row('files in a new container', 'refused', ['responses'], {
    tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [KEPT] } }],
  }),
  row('a mask that is a file', 'refused', ['responses'], {
    tools: [{ type: 'image_generation', input_image_mask: { file_id: KEPT } }],
  }),
  row('a tool that nobody knows', 'left out', ['responses', 'messages'], {
    tools: [{ type: 'never_heard_of', name: KEPT }],
  }),
];

export const namedState: readonly NamedState[] = [...fields, ...videos, ...parts, ...items, ...tools];
