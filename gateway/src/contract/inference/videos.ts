// Videos: what is ordered, and the job that it becomes.

import { Type } from '@sinclair/typebox';
import { flag, listOf, named, number, oneOf, orNull, text, usd } from '../shape.ts';
import { maybe, model, open, ProviderPreferences } from './fields.ts';

const address = text('A public address that begins with https://.');
const picture = Type.Union([
  address,
  Type.Object(
    {
      type: Type.Optional(Type.Literal('image_url')),
      image_url: maybe(Type.Union([address, Type.Object({ url: address }, open)])),
      frame_type: maybe(Type.Union([Type.Literal('first_frame'), Type.Literal('last_frame')])),
    },
    open,
  ),
]);

export const VideoRequest = Type.Object(
  {
    model,
    prompt: Type.String({ minLength: 1, maxLength: 32_768, description: 'What the picture or video is to show.' }),
    duration: maybe(Type.Integer({ minimum: 1, maximum: 86_400, description: 'In seconds.' })),
    seconds: maybe(Type.Union([Type.String(), Type.Integer()], { description: 'The same as duration.' })),
    resolution: maybe(Type.String({ description: 'Such as 720p.' })),
    aspect_ratio: maybe(Type.String({ description: 'Such as 16:9.' })),
    size: maybe(Type.String({ description: 'In pixels, such as 1280x720, or a resolution.' })),
    generate_audio: maybe(Type.Boolean()),
    watermark: maybe(Type.Boolean()),
    frame_images: maybe(Type.Array(picture, { maxItems: 2, description: 'The first frame, and the last.' })),
    input_reference: maybe(picture),
    input_references: maybe(
      Type.Array(picture, {
        minItems: 1,
        maxItems: 9,
        description: 'Pictures of things or people that are to appear.',
      }),
    ),
    input_video: maybe(
      Type.Union([address, Type.Object({ url: maybe(address) }, open)], {
        description: 'A video to continue or to edit.',
      }),
    ),
    seed: maybe(Type.Integer()),
    callback_url: maybe(
      Type.String({
        maxLength: 2_048,
        description: 'An https address that is called, without a signature, when the job is over.',
      }),
    ),
    provider: maybe(ProviderPreferences),
  },
  { ...open, ...named('VideoRequest') },
);

export const VideoJob = Type.Object(
  {
    id: text('The id of the job, used in paths.'),
    object: Type.Literal('video'),
    status: oneOf(['pending', 'in_progress', 'completed', 'failed'], 'The state of the job.'),
    model: Type.String(),
    progress: number('Percent.'),
    created_at: Type.Integer({ description: 'Unix seconds.' }),
    completed_at: orNull(Type.Integer({ description: 'Unix seconds.' })),
    expires_at: Type.Null(),
    seconds: text('The length of the video.'),
    size: orNull(Type.String()),
    prompt: Type.Null({ description: 'Always null: the prompt is not kept.' }),
    remixed_from_video_id: Type.Null(),
    error: orNull(Type.Object({ code: Type.String(), message: Type.String() })),
    generation_id: text('The id of the generation; GET /v1/generation gives its record once the job is over.'),
    polling_url: text('The address to ask again.'),
    usage: Type.Optional(Type.Object({ cost: usd('What was charged.') })),
    unsigned_urls: Type.Optional(listOf(Type.String(), 'The addresses of the videos, once completed.')),
  },
  named('VideoJob'),
);

export const VideoJobList = Type.Object(
  {
    object: Type.Literal('list'),
    data: listOf(VideoJob, 'Newest first.'),
    first_id: orNull(Type.String()),
    last_id: orNull(text('Send it as `after` to get the next page.')),
    has_more: flag('True: there is a next page.'),
  },
  named('VideoJobList'),
);
