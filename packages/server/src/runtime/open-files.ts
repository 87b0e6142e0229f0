// How many files and sockets the process may have open.

interface UserLimits {
  /** Missing on Windows. */
  readonly userLimits?: { readonly open_files: { readonly hard: number | 'unlimited' } };
}

/** The hard limit, to which Node.js raises its own at start; Infinity if there is none. */
export function openFilesMax(): number {
  // Otherwise the report would resolve the names of connected hosts.
  Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = process.report.getReport() as UserLimits;
  const hard = userLimits?.open_files.hard;
  return typeof hard === 'number' ? hard : Number.POSITIVE_INFINITY;
}
