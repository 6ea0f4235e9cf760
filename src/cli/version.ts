declare const __VERSION__: string | undefined;
declare const __RELEASED__: string | undefined;

export const version: string = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-source';

/** The date of the latest release, in ISO 8601 format, inserted by the build. */
export const released: string = typeof __RELEASED__ === 'string' ? __RELEASED__ : '2026-01-01';
