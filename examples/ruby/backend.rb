# The backend of an app in Ruby, with the gem oauth2 (../README.md).

require 'base64'
require 'erb'
require 'json'
require 'oauth2'
require 'openssl'
require 'time'
require 'webrick'

APP = ENV.fetch('PACKAGE_NAME')
LEDGER = ENV.fetch('LEDGER')
ATTEMPTS_MAX = 4
PAUSE_MAX = 5

# The caller of this backend has to repeat its call later.
class Unavailable < StandardError; end

CLIENT = OAuth2::Client.new(
  ENV.fetch('CLIENT_ID'), ENV.fetch('CLIENT_SECRET'),
  site: ENV.fetch('STORE_URL'), token_url: '/v2/oauth/token', auth_scheme: :request_body, raise_errors: false
)

# The seconds to wait: Retry-After is a number or a date, and anything else is ignored.
def pause_of(retry_after)
  return retry_after.to_f.clamp(0, PAUSE_MAX) if retry_after.match?(/\A\d+(\.\d+)?\z/)

  (Time.httpdate(retry_after) - Time.now).clamp(0, PAUSE_MAX)
rescue ArgumentError
  0
end

# Calls the store with the token, and retries what may succeed later.
def call(method, path, params = {})
  ATTEMPTS_MAX.times do
    $token = CLIENT.client_credentials.get_token if $token.nil? || $token.expired?
    response = $token.request(method, path, params: params, headers: { 'Content-Type' => 'application/json' })
    is_final = response.status < 500 && ![401, 429].include?(response.status)
    return [response.status, JSON.parse(response.body)] if is_final

    $token = nil if response.status == 401
    sleep(pause_of(response.headers['retry-after'].to_s))
  rescue Faraday::Error, JSON::ParserError
    sleep 1 # Without a response the store may have done it: the next attempt finds out.
  end
  raise Unavailable, path
end

$ledger = File.exist?(LEDGER) ? File.readlines(LEDGER, chomp: true) : []

def write(line)
  return if $ledger.include?(line)

  File.open(LEDGER, 'a') do |file|
    file.puts(line)
    file.fsync
  end
  $ledger << line
end

# Only an id of this form has one spelling and stays one segment of a path.
def id?(value, length_max)
  value.is_a?(String) && value.b.match?(/\A[A-Za-z0-9._-]{1,#{length_max}}\z/) && !%w[. ..].include?(value)
end

def path(*segments)
  "/v2/purchase/#{segments.map { |segment| ERB::Util.url_encode(segment) }.join('/')}"
end

def refuse(id, reason)
  warn "refused #{id.inspect}: #{reason}"
  [409, { reason: reason }]
end

def deliver(id, product, order)
  return refuse(id, 'notFound') unless id?(id, 20) && id?(product, 150)

  status, purchase = call(:get, path('details-by-productid', id, APP, product))
  return refuse(id, 'notFound') unless status == 200
  return refuse(id, 'voided') unless purchase['purchaseState'].zero?
  return refuse(id, 'otherPayload') unless purchase['developerPayload'] == order
  return refuse(id, 'consumed') if purchase['consumptionState'] == 1 && !$ledger.include?("delivered #{id}")

  write("delivered #{id}")
  status, consumed = call(:post, path('consume', id, APP))
  raise Unavailable, consumed unless status == 200 || consumed['error']['code'] == 9201

  200
end

# The app's own time in a sandbox, whose clock can be moved.
def now
  ENV['ENVIRONMENT'] == 'sandbox' ? call(:get, '/developer/v1/clock').last['now'] : Time.now.to_f * 1000
end

# Returns nil if the app has no such subscription.
def access_to(first_purchase_id)
  return unless id?(first_purchase_id, 20)

  status, details = call(:get, path('last-recurring-details', first_purchase_id, APP))
  return unless status == 200

  has_access = now < details['expiryTime']
  { hasAccess: has_access, isPaymentOutstanding: details.key?('nextPaymentTime') && !has_access,
    until: details['expiryTime'], willRenew: details['autoRenewing'] }
end

def take_back_voided
  params = {}
  loop do
    status, page = call(:get, path('voided-purchases', APP), params)
    raise Unavailable, page unless status == 200

    page['voidedPurchaseList'].each do |entry|
      write("taken-back #{entry['purchaseId']}") if $ledger.include?("delivered #{entry['purchaseId']}")
    end
    return 200 unless page['continuationKey']

    params = { continuationKey: page['continuationKey'] }
  end
end

def signed?(request)
  time = request['webhook-timestamp'].to_i
  key = Base64.decode64(ENV.fetch('WEBHOOK_SECRET').delete_prefix('whsec_'))
  digest = OpenSSL::HMAC.digest('SHA256', key, "#{request['webhook-id']}.#{time}.#{request.body}")
  expected = "v1,#{Base64.strict_encode64(digest)}"
  signatures = request['webhook-signature'].to_s.split
  (Time.now.to_i - time).abs < 300 && signatures.any? { |one| OpenSSL.secure_compare(expected, one) }
end

def receive(request)
  return 401 unless signed?(request)

  event = JSON.parse(request.body)
  case event['type']
  when 'purchase.completed' then deliver(event['purchaseId'], event['productId'], event['record']['developerPayload'])
  when 'purchase.voided' then take_back_voided
  end
  204
end

# Returns a status, and what is sent as JSON.
def respond(request)
  uri = request.unparsed_uri
  if uri.start_with?('/access/')
    access = access_to(uri.delete_prefix('/access/'))
    return access ? [200, access] : 404
  end
  return receive(request) if request.path == '/hooks'
  return take_back_voided if request.path == '/voided'

  deliver(*JSON.parse(request.body).values_at('purchaseId', 'productId', 'order'))
rescue JSON::ParserError
  refuse(nil, 'notFound')
rescue Unavailable => e
  warn e.message
  503
end

# Requests are handled one after another, so that each finds what the one before wrote.
turn = Mutex.new
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: ENV.fetch('PORT'), AccessLog: [])
server.mount_proc('/') do |request, response|
  response.status, body = turn.synchronize { respond(request) }
  response.content_type = 'application/json'
  response.body = body.to_json if body
end
server.start
