import { area, inArea } from '../spec/compose.ts';
import { bool, file, long, text } from '../spec/field.ts';
import { resource } from '../spec/resource.ts';

const color = { placeholder: '#rrggbb' };

const words = {
  title: text('Title of the sign-in page'),
  description: long('Description on the sign-in page, in Markdown'),
  header_message: text('Message at the top of every page'),
  footer_message: text('Message at the bottom of every page'),
  message_background_color: text('Background color of the header and footer messages', color),
  message_font_color: text('Text color of the header and footer messages', color),
  email_header_and_footer_enabled: bool('Add the header and footer messages to emails'),
  member_guidelines: long('Guidelines on the page of members, in Markdown'),
  new_project_guidelines: long('Guidelines on the page for new projects, in Markdown'),
  profile_image_guidelines: long('Guidelines for profile images, in Markdown'),
  pwa_name: text('Name of the progressive web app (PWA)'),
  pwa_short_name: text('Short name of the progressive web app'),
  pwa_description: text('Description of the progressive web app'),
};

const appearance = {
  ...words,
  logo: text('Path of the logo on the sign-in page', { nullable: true }),
  header_logo: text('Path of the logo in the navigation bar', { nullable: true }),
  favicon: text('Path of the favicon', { nullable: true }),
  pwa_icon: text('Path of the icon of the progressive web app', { nullable: true }),
};

const endpoint = inArea('appearance', {
  noun: 'appearance settings',
  access: { role: 'administrator', offering: 'self-managed' },
  fields: appearance,
});

const get = endpoint('GET application/appearance', {
  summary: 'Show the appearance settings of the instance',
  examples: { 'Print only the header message': '--fields header_message -o tsv --no-header' },
});

const update = endpoint('PUT application/appearance', {
  summary: 'Change the appearance settings of the instance',
  doc: 'Omitted settings keep their values. An empty value, such as --header-message "", clears a text. After an image upload, the response can contain only the path of the new image.',
  takes: {
    ...words,
    logo: file('Logo on the sign-in page'),
    header_logo: file('Logo in the navigation bar'),
    favicon: file('Icon shown in browser tabs'),
    pwa_icon: file('Icon of the progressive web app'),
  },
  done: 'Updated the appearance settings of the instance',
  examples: {
    'Show an announcement on every page':
      '--header-message "Maintenance on Friday at 18:00 UTC" --message-background-color "#b00020"',
    'Replace the logo on the sign-in page': '--logo logo.png',
    'Clear the announcement': '--header-message ""',
  },
});

export const appearanceSettings = resource({
  kind: 'appearance',
  noun: 'appearance settings',
  calls: [{ get, update }],
  limits: ['images are not included'],
});

export default area([get, update]);
