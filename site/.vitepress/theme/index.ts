// The default theme with the fonts of the reader's system.

import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';

export default DefaultTheme;
