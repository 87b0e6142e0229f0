// The reference, as a team would write it: Express, one query for the token and one for the purchase.

import type { AddressInfo } from 'node:net';
import express from 'express';
import { Pool } from 'pg';

const poolSize = 10;
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: poolSize });
const app = express();

app.get('/v2/purchase/details/:purchaseId/:packageName', async (request, response) => {
  const { purchaseId, packageName } = request.params;
  const token = request.headers.authorization?.replace(/^Bearer /, '');
  const tokens = await pool.query('select package_name, expires_at from reference_token where token = $1', [
    token,
  ]);
  const known = tokens.rows[0];
  if (known === undefined || Number(known.expires_at) < Date.now() || known.package_name !== packageName) {
    response.status(401).json({ error: { code: 401, message: 'The token has expired.' } });
    return;
  }
  const purchases = await pool.query(
    `select consumed_time, developer_payload, voided_time, purchase_time from purchase
      where package_name = $1 and purchase_id = $2`,
    [packageName, purchaseId],
  );
  const purchase = purchases.rows[0];
  if (purchase === undefined) {
    response.status(404).json({ error: { code: 9001, message: 'No result was found.' } });
    return;
  }
  response.json({
    consumptionState: purchase.consumed_time === null ? 0 : 1,
    developerPayload: purchase.developer_payload,
    purchaseState: purchase.voided_time === null ? 0 : 1,
    purchaseTime: Number(purchase.purchase_time),
  });
});

const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`Express http://127.0.0.1:${port}\n`);
});
