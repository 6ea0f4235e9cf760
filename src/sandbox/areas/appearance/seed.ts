import type { Seeder } from '../../seed/seeder.ts';
import type { Appearance } from './handlers.ts';

/** Texts and colors, without images. */
export const appearance: Seeder = (world) => {
  world.table<Appearance>('appearance').insert({
    id: 1,
    title: 'Acme Workshop',
    description: 'We build **rockets**',
    pwa_name: 'Acme Workshop',
    pwa_short_name: 'Workshop',
    pwa_description: 'We build rockets',
    member_guidelines: 'Ask an owner before you add members',
    new_project_guidelines: 'Projects live in the group `acme`',
    profile_image_guidelines: 'A photo of yourself',
    header_message: 'This is a sandbox',
    footer_message: 'Nothing here is real',
    message_background_color: '#e75e40',
    message_font_color: '#ffffff',
    email_header_and_footer_enabled: false,
    images: {},
  });
};
