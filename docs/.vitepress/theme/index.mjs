// The default theme without its web fonts: the fonts of the system are used.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
