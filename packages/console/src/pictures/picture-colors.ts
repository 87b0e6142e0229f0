// The colors of pictures, in the light and the dark scheme: text has a contrast of 4.5:1 on them or as them, marks of 3:1.

export const pictureColors = {
  good: 'light-dark(#08745c, #33c8a4)',
  bad: 'light-dark(#c92a2a, #ff8787)',
  second: 'light-dark(#4263eb, #91a7ff)',
  waiting: 'light-dark(#a35200, #ffc078)',
  text: 'var(--mantine-color-text)',
  onGood: 'light-dark(#ffffff, #10231e)',
  faint: 'var(--mantine-color-dimmed)',
  line: 'light-dark(#868e96, #8f9296)',
  ground: 'var(--mantine-color-body)',
} as const;
