import { describe, expect, it } from 'vitest';
import { pathsOf } from '../../src/config/paths.ts';
import { Failure } from '../../src/errors.ts';

const nowhere = () => {
  throw new Error('no such user');
};

describe('folders of a user', () => {
  it('follows the XDG rules on Linux, and ignores relative and empty XDG variables', () => {
    const none = { HOME: '/home/u', XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: './s', XDG_CACHE_HOME: '' };
    for (const env of [{ HOME: '/home/u' }, none])
      expect(pathsOf(env, 'linux', nowhere)).toMatchObject({
        config: '/home/u/.config/svc',
        state: '/home/u/.local/state/svc',
        cache: '/home/u/.cache/svc',
        profiles: '/home/u/.config/svc/profiles.json',
        own: true,
      });
    const env = { HOME: '/home/u', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/k' };
    expect(pathsOf(env, 'linux', nowhere)).toMatchObject({
      config: '/c/svc',
      state: '/s/svc',
      cache: '/k/svc',
    });
  });

  it('asks the system for the home if HOME is unset, empty or relative', () => {
    for (const env of [{}, { HOME: '' }, { HOME: 'here' }]) {
      expect(pathsOf(env, 'linux', () => '/home/sys').config).toBe('/home/sys/.config/svc');
    }
  });

  it('has no folders without a home, and names the variable to set', () => {
    for (const home of [nowhere, () => '', () => 'here']) {
      const paths = pathsOf({}, 'linux', home);
      expect([paths.config, paths.profiles]).toEqual([undefined, undefined]);
      expect(paths.remedy).toContain('HOME');
      expect(paths.stateRemedy).toContain('XDG_STATE_HOME');
    }
  });

  it('uses the folders of macOS and Windows', () => {
    expect(pathsOf({ HOME: '/Users/u', XDG_CONFIG_HOME: '/c' }, 'darwin', nowhere)).toMatchObject({
      config: '/Users/u/Library/Application Support/svc',
      cache: '/Users/u/Library/Caches/svc',
    });
    const env = { APPDATA: 'C:\\Users\\u\\Roaming', LOCALAPPDATA: 'D:\\Local' };
    expect(pathsOf(env, 'win32', nowhere)).toMatchObject({
      config: 'C:\\Users\\u\\Roaming\\svc',
      profiles: 'C:\\Users\\u\\Roaming\\svc\\profiles.json',
      state: 'D:\\Local\\svc\\state',
      cache: 'D:\\Local\\svc\\cache',
    });
    expect(pathsOf({ USERPROFILE: 'C:\\Users\\u' }, 'win32', nowhere).config).toBe(
      'C:\\Users\\u\\AppData\\Roaming\\svc',
    );
  });

  it('uses SVC_CONFIG_DIR as the config folder, leaves its mode and rejects a relative one', () => {
    const paths = pathsOf({ HOME: '/home/u', SVC_CONFIG_DIR: '/etc/svc-of-me' }, 'linux', nowhere);
    expect(paths).toMatchObject({
      config: '/etc/svc-of-me',
      profiles: '/etc/svc-of-me/profiles.json',
      own: false,
    });
    expect(() => pathsOf({ SVC_CONFIG_DIR: 'conf' }, 'linux', nowhere)).toThrow(Failure);
    expect(() => pathsOf({ SVC_CONFIG_DIR: 'conf' }, 'linux', nowhere)).toThrow(/SVC_CONFIG_DIR/);
  });
});
