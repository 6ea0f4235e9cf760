export const formats = ['table', 'json', 'ndjson', 'csv', 'tsv', 'yaml', 'raw'] as const;
export type Format = (typeof formats)[number];
