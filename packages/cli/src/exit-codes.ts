// The exit codes, which --help lists.

export const exitCodes = {
  /** Done. */
  done: 0,
  /** The command failed, or a check did. */
  failed: 1,
  /** Invalid command line; nothing was changed. */
  usage: 2,
  /** Ended by Ctrl-C, as by any SIGINT. */
  interrupted: 130,
  /** The reader of the output exited, as for any SIGPIPE. */
  brokenPipe: 141,
  /** Ended by SIGTERM. */
  terminated: 143,
} as const;

export const exitCodesHelp = `
Exit codes:
  0    done
  1    the command or a check failed
  2    invalid command line; nothing was changed
  3    conformance: no check failed, but some are inconclusive
  130  interrupted by Ctrl-C (143: by SIGTERM)
  141  the reader of the output exited`;
