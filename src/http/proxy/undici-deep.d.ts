// undici has no types for its single files. They are imported one by one because the whole package takes 40 ms to load.
declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}
declare module 'undici/lib/dispatcher/proxy-agent.js' {
  export { ProxyAgent as default } from 'undici';
}
declare module 'undici/lib/api/api-connect.js' {
  const connect: import('undici').Dispatcher['connect'];
  export default connect;
}
