/** Matches escape sequences in their 7-bit and 8-bit forms: CSI, then OSC, DCS, SOS, PM and APC with their content, then short ones. */
export const escapeSequences =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]+[0-~]|\x1b[0-~]/g;
