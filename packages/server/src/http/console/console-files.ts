// The built console, as the operator listener serves it.

export interface ConsoleFiles {
  /** The folder of the bundle; it may be missing. */
  readonly folder: string;
  /** Whether a build is running that replaces the folder. */
  readonly isBuilding: () => boolean;
}
