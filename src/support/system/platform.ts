/** The operating system. Functions that differ between systems take it as a parameter, so that tests can choose it. */
export const platform: NodeJS.Platform = process.platform;
