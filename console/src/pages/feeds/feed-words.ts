// What the forms of feeds are called.

import type { Feed } from '../../api/feeds.ts';

export const FORMS: Readonly<Record<Feed['form'], string>> = {
  otlp: 'OpenTelemetry collector',
  http: 'Signed HTTP',
  s3: 'S3 bucket',
  file: 'Files in the data folder',
};
