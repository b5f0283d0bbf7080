//! One connection: TCP, TLS where asked for, password, database, and a proof that it counts.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, RedisConnectionInfo, RedisError};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_util::task::AbortOnDropHandle;

use crate::address::Address;
use crate::script;

/// From the name's lookup to the first count.
const LIMIT: Duration = Duration::from_secs(2);

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The machine does not answer, or not in TLS.
    #[error("no connection: {0}")]
    Unreachable(#[from] io::Error),
    /// Redis refuses.
    #[error("Redis says: {0}")]
    Refused(#[from] RedisError),
    /// It takes too long.
    #[error("no answer within {} ms", .0.as_millis())]
    Slow(Duration),
}

/// An open connection, and the task that reads and writes for it.
pub(crate) struct Connection {
    pub(crate) requests: MultiplexedConnection,
    /// Ends when the connection does; to abort or drop it is to hang up.
    pub(crate) driver: AbortOnDropHandle<()>,
}

/// Connects, and counts once within `deadline`: slower than that is as good as away.
pub(crate) async fn connect(
    address: &Address,
    tls: Option<&Arc<ClientConfig>>,
    deadline: Duration,
) -> Result<Connection, ConnectError> {
    let opening = async {
        let stream = TcpStream::connect((address.host.as_str(), address.port)).await?;
        stream.set_nodelay(true)?;
        let mut connection = match (address.tls, tls) {
            (false, _) => greet(address, stream).await?,
            (true, Some(tls)) => {
                let name = ServerName::try_from(address.host.clone()).map_err(io::Error::other)?;
                greet(address, TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?).await?
            }
            (true, None) => return Err(io::Error::other("TLS is not set up").into()),
        };
        // The first time Redis has to be given the script.
        script::try_out(&mut connection.requests).await?;
        Ok::<_, ConnectError>(connection)
    };
    let mut connection = timeout(LIMIT, opening).await.map_err(|_| ConnectError::Slow(LIMIT))??;
    let tried = timeout(deadline, script::try_out(&mut connection.requests)).await;
    tried.map_err(|_| ConnectError::Slow(deadline))??;
    Ok(connection)
}

/// Logs in and chooses the database.
async fn greet(
    address: &Address,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> Result<Connection, ConnectError> {
    // CLIENT SETINFO came with Redis 7.2.
    let mut info = RedisConnectionInfo::default().set_db(address.database.into()).set_skip_set_lib_name();
    if let Some(password) = &address.password {
        info = info.set_password(password.reveal());
    }
    if let Some(user) = &address.user {
        info = info.set_username(user);
    }
    // Deadlines are ours: the library's would end the wait and keep the connection.
    let config = AsyncConnectionConfig::new().set_response_timeout(None).set_connection_timeout(None);
    let (requests, driver) = MultiplexedConnection::new_with_config(&info, stream, config).await?;
    Ok(Connection { requests, driver: AbortOnDropHandle::new(tokio::spawn(driver)) })
}
