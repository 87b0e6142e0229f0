# The gem oauth2 as the client of a backend.

require 'oauth2'

client = OAuth2::Client.new(
  ENV.fetch('CLIENT_ID'),
  ENV.fetch('CLIENT_SECRET'),
  site: ENV.fetch('STORE_URL'),
  token_url: '/v2/oauth/token',
  auth_scheme: :request_body
)
token = client.client_credentials.get_token
puts "#{token.params['token_type']} #{token.expires_in}"

purchase = "#{ENV.fetch('PURCHASE_ID')}/#{ENV.fetch('PACKAGE_NAME')}"
headers = { 'Content-Type' => 'application/json' }
puts token.get("/v2/purchase/details/#{purchase}", headers: headers).body
puts token.post("/v2/purchase/consume/#{purchase}", headers: headers).body
