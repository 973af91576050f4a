/** Controllers that move from one manager to another, and so do not run under this process's lease. */
export interface LeaderMigration {
  /** The name of the migration's lease. */
  readonly leaderName: string;
  /** As configured. */
  readonly controllerLeaders: readonly ControllerLeader[];
  /** Those that another program runs. */
  readonly elsewhere: ReadonlySet<string>;
  /** Those that this program runs once it also holds the migration's lease. */
  readonly byMigrationLease: ReadonlySet<string>;
}

/** A migrating controller and the program that runs it; `*` is whichever holds the migration's lease. */
export interface ControllerLeader {
  readonly name: string;
  readonly component: string;
}
