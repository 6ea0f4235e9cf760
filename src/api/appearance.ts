import { area } from '../spec/compose.ts';
import { endpoint, one } from '../spec/endpoint.ts';
import { bool, file, long, text } from '../spec/field.ts';

const color = { placeholder: '#rrggbb' };

const words = {
  title: text('Heading of the sign-in page'),
  description: long('Text of the sign-in page, in Markdown'),
  header_message: text('Line at the top of every page'),
  footer_message: text('Line at the bottom of every page'),
  message_background_color: text('Background of these two lines', color),
  message_font_color: text('Color of the text in these two lines', color),
  email_header_and_footer_enabled: bool('Also show the header and footer in emails'),
  member_guidelines: long('Advice on the page of members, in Markdown'),
  new_project_guidelines: long('Advice on the page for a new project, in Markdown'),
  profile_image_guidelines: long('Advice beside the profile picture, in Markdown'),
  pwa_name: text('Name when installed as an app'),
  pwa_short_name: text('Short name when installed as an app'),
  pwa_description: text('What the app does, when installed'),
};

const appearance = {
  ...words,
  logo: text('Path of the picture on the sign-in page', { nullable: true }),
  header_logo: text('Path of the picture in the top bar', { nullable: true }),
  favicon: text('Path of the icon in the browser tab', { nullable: true }),
  pwa_icon: text('Path of the icon when installed as an app', { nullable: true }),
};

const admin = { section: '4.14', access: { role: 'administrator', offering: 'self-managed' } } as const;

export default area([
  endpoint('GET application/appearance', {
    ...admin,
    command: 'get',
    summary: 'Show how the instance presents itself',
    returns: one(appearance),
    examples: [
      { does: 'Every text and picture', run: 'appearance get' },
      {
        does: 'Header of all pages',
        run: 'appearance get --fields header_message -o tsv --no-header',
      },
    ],
  }),
  endpoint('PUT application/appearance', {
    ...admin,
    command: 'update',
    summary: 'Change how the instance presents itself',
    doc: 'Only what is given is changed. An empty text, such as --header-message "", clears it. When a picture is sent, the service may answer with its new path alone.',
    takes: {
      ...words,
      logo: file('Picture on the sign-in page'),
      header_logo: file('Picture in the top bar'),
      favicon: file('Icon in the browser tab'),
      pwa_icon: file('Icon when installed as an app'),
    },
    returns: one(appearance),
    examples: [
      {
        does: 'Announce something on every page',
        run: 'appearance update --header-message "Maintenance on Friday at 18:00 UTC" --message-background-color "#b00020"',
      },
      { does: 'A new picture for the sign-in page', run: 'appearance update --logo logo.png' },
      { does: 'Take the announcement away', run: 'appearance update --header-message ""' },
    ],
  }),
]);
