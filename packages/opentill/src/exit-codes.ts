// The exit codes, which --help lists.

export const exitCodes = {
  /** Done. */
  done: 0,
  /** It could not be done, or something is wrong. */
  failed: 1,
  /** The command line is wrong: nothing was begun. */
  usage: 2,
  /** Ended by Ctrl-C, as by any SIGINT. */
  interrupted: 130,
  /** Whoever read the output went away, as for any SIGPIPE. */
  brokenPipe: 141,
  /** Ended by SIGTERM. */
  terminated: 143,
} as const;

export const exitCodesHelp = `
Exit codes:
  0    done
  1    it could not be done, or something is wrong
  2    the command line is wrong: nothing was begun
  3    conformance: no check failed, but some could not be decided
  130  ended by Ctrl-C (143: by SIGTERM)
  141  whoever read the output went away`;
