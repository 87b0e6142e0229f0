// Limits that clients also use. This file has no schemas, so that a client can import a number without loading TypeBox.

/** How long the previous secret stays valid after a rotation: a day by default, at most 30 days. */
export const keepPreviousSeconds = { min: 0, max: 30 * 24 * 60 * 60, default: 24 * 60 * 60 } as const;

/** Entries per page; 200 whole records are about 100 KB, which is still read and sent at once. */
export const pageSize = { min: 1, max: 200, default: 50 } as const;

/** Apps per page: a page of the whole of most stores, which a follower of its events reads every second. */
export const appsPageMax = 1_000;

/** Between the first and the last timestamp, in 2001 and 2286, there are fewer weeks. */
export const periodIndexMax = 14_999;

/** Days by which one extension moves the end of the paid time at most. */
export const extensionDaysMax = 366;

/** Retries of a declined charge: about as many as card networks allow in a month. */
export const chargeRetriesMax = 12;

/** Days after the due time in which a declined charge is retried, and one of unknown outcome after its first request. */
export const chargeDaysMax = 18;

/** Days that one call for statistics covers: a year with the same week of the previous one. */
export const statisticDaysMax = 400;

/** Products or apps of one call of getStatistics. */
export const statisticGroupsMax = 1_000;
