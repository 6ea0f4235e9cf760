import type { Plugin } from 'vite';
export declare const textFiles: Plugin;
