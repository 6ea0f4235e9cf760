declare const __VERSION__: string | undefined;

/** The version of the package, inserted by the build. */
export const version: string = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0-source';
