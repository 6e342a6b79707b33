// A short name for a browser: its own description is long and partly wrong, and people recognize these few words.

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone|\biPad/, 'iOS'],
  [/\bAndroid/, 'Android'],
  [/\bMac OS X|\bMacintosh/, 'macOS'],
  [/\bWindows/, 'Windows'],
  [/\bCrOS/, 'ChromeOS'],
  [/\bLinux/, 'Linux'],
];

export function deviceName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown device';
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return userAgent.length > 40 ? `${userAgent.slice(0, 40)}…` : userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
