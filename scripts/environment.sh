# Sourced by scripts/demo, scripts/test and scripts/bench; useful by hand too: `. scripts/environment.sh`.
# In: a checkout and the variables below. Out: a ready virtual environment (made on the first run, reused after),
# activated, with ROS 2, the interfaces and the commands remembr, captioner, query and whisper.
#
#   REMEMBR_VENV          the environment's folder            (default: .venv in the repository, .venv-$ROS_DISTRO
#                         where ROS is sourced: its packages come from there and are not mixed with wheels)
#   REMEMBR_PYTHON        the interpreter that makes it       (default: python3)
#   REMEMBR_REQUIREMENTS  which requirements-*.txt to install (default: runtime models voice demo test; ros and
#                         build are added where no ROS is sourced, i.e. where ROS_DISTRO is empty)
#   REMEMBR_OVERLAY       a colcon install folder to add, e.g. one with launch, tf2 and Nav2
#   ROS_DOMAIN_ID, FASTRTPS_DEFAULT_PROFILES_FILE, ROS_AUTOMATIC_DISCOVERY_RANGE, HF_HUB_OFFLINE are kept where set.
#
# Works under `set -euo pipefail`, from any folder; returns 1 (never exits) when something is missing.

_remembr_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

_remembr_missing() {  # what is missing, the line that installs it
    printf 'remembr_ros: %s is missing. Install it with:\n    %s\n' "$1" "$2" >&2
    return 1
}

_remembr_python() {  # prints the real interpreter behind a name, also where a version manager only offers a shim
    local name="$1" found candidate
    for candidate in "$name" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/"${name##*/}"; do
        if found="$("$candidate" -c 'import sys; print(getattr(sys, "_base_executable", sys.executable))' 2>/dev/null)"; then
            printf '%s\n' "$found"
            return 0
        fi
    done
    _remembr_missing "$name" "sudo apt install ${name##*/} ${name##*/}-venv"
}

_remembr_make_venv() {
    local python system_site=()
    python="$(_remembr_python "${REMEMBR_PYTHON:-python3}")" || return 1
    if ! "$python" -c 'import sys; sys.exit(not sys.version_info >= (3, 10))'; then
        _remembr_missing "Python 3.10 or newer ($python is $("$python" -V 2>&1))" "sudo apt install python3.10 python3.10-venv"
        return 1
    fi
    "$python" -c 'import venv, ensurepip' 2>/dev/null \
        || { _remembr_missing "the venv module of $python" "sudo apt install python3-venv"; return 1; }
    if [ -n "${ROS_DISTRO:-}" ]; then
        system_site=(--system-site-packages)  # rclpy and the messages from apt live there
    fi
    printf 'remembr_ros: making %s with %s\n' "$REMEMBR_VENV" "$("$python" -V)" >&2
    "$python" -m venv ${system_site[@]+"${system_site[@]}"} "$REMEMBR_VENV"
}

_remembr_prepend() {  # variable, folder: put first, once
    local current="${!1:-}"
    case ":$current:" in
        *":$2:"*) ;;
        *) export "$1=$2${current:+:$current}" ;;
    esac
}

_remembr_remove() {  # variable, folder: take out whatever lies in that folder
    local entry kept="" entries
    IFS=: read -ra entries <<<"${!1:-}"
    for entry in ${entries[@]+"${entries[@]}"}; do
        case "$entry/" in "$2"/*) ;; *) kept="${kept:+$kept:}$entry" ;; esac
    done
    export "$1=$kept"
}

_remembr_draw_domain() {  # sets ROS_DOMAIN_ID: 1 to 101, no UDP port of it in use here, and drawn by no other run
    local used lock first step id
    used=" $(awk '
        FNR > 1 { split($2, address, ":"); port = 0
                  for (i = 1; i <= 4; i++) port = port * 16 + index("123456789ABCDEF", substr(address[2], i, 1))
                  printf "%d ", (port - 7400) / 250 }' /proc/net/udp 2>/dev/null || true)"
    [ -z "${_remembr_domain_lock:-}" ] || exec {_remembr_domain_lock}<&-  # that of an earlier run in this shell
    _remembr_domain_lock=""
    first=$RANDOM  # not awk's rand(): mawk makes two or three numbers of all seeds
    for ((step = 0; step < 101; step++)); do
        id=$((1 + (first + step) % 101))
        case "$used" in *" $id "*) continue ;; esac
        lock="/tmp/remembr_ros_domain_$id"
        [ -e "$lock" ] || (umask 022; : >"$lock") 2>/dev/null || continue
        { exec {_remembr_domain_lock}<"$lock"; } 2>/dev/null || { _remembr_domain_lock=""; continue; }
        # Held until this shell, or the program that takes its place, ends: ports are bound only some seconds from now.
        if ! command -v flock >/dev/null || flock -n "$_remembr_domain_lock"; then break; fi
        exec {_remembr_domain_lock}<&-
        _remembr_domain_lock=""
    done
    export ROS_DOMAIN_ID="$id"
}

_remembr_environment() {
    local folder line prepared
    export REMEMBR_VENV="${REMEMBR_VENV:-$_remembr_root/.venv${ROS_DISTRO:+-$ROS_DISTRO}}"
    if [ -n "${REMEMBR_ACTIVE:-}" ]; then
        for line in PATH PYTHONPATH AMENT_PREFIX_PATH LD_LIBRARY_PATH; do _remembr_remove "$line" "$REMEMBR_ACTIVE"; done
    fi
    export REMEMBR_ACTIVE="$REMEMBR_VENV"
    command -v c++ >/dev/null || { _remembr_missing "a C++ compiler" "sudo apt install build-essential"; return 1; }
    command -v make >/dev/null || { _remembr_missing "make" "sudo apt install build-essential"; return 1; }
    [ -x "$REMEMBR_VENV/bin/pip" ] || _remembr_make_venv || return 1

    # The wheels of ROS start python anew to set LD_LIBRARY_PATH unless told that it is set.
    export _ROS_WHEELS_BOOTSTRAP_COMPLETE=1
    export VIRTUAL_ENV="$REMEMBR_VENV"
    _remembr_prepend PATH "$REMEMBR_VENV/bin"
    if [ -n "${REMEMBR_OVERLAY:-}" ]; then
        [ -f "$REMEMBR_OVERLAY/local_setup.bash" ] \
            || { printf 'remembr_ros: --overlay %s: no colcon install there (no local_setup.bash)\n' "$REMEMBR_OVERLAY" >&2; return 1; }
        case $- in *u*) set +u; . "$REMEMBR_OVERLAY/local_setup.bash"; set -u ;; *) . "$REMEMBR_OVERLAY/local_setup.bash" ;; esac
    fi
    # Prints the prefixes that were built (interfaces, package, test fixtures), one a line; progress goes to stderr.
    prepared="$("$REMEMBR_VENV/bin/python" "$_remembr_root/scripts/prepare.py" "$REMEMBR_VENV" ${REMEMBR_REQUIREMENTS:-})" || return 1

    if [ -z "${ROS_DISTRO:-}" ]; then
        _remembr_prepend AMENT_PREFIX_PATH "$REMEMBR_VENV"  # the wheels bring no set-up script of their own
        _remembr_prepend LD_LIBRARY_PATH "$REMEMBR_VENV/lib"
        for folder in "$REMEMBR_VENV"/lib/python3*/site-packages/ros_*.libs; do
            [ -d "$folder" ] && _remembr_prepend LD_LIBRARY_PATH "$folder"
        done
    fi
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        _remembr_prepend AMENT_PREFIX_PATH "$line"
        _remembr_prepend LD_LIBRARY_PATH "$line/lib"
        for folder in "$line"/lib/python3*/site-packages "$line"/local/lib/python3*/dist-packages "$line"/build/remembr_ros; do
            [ -d "$folder" ] && _remembr_prepend PYTHONPATH "$folder"
        done
        [ -d "$line/lib/remembr_ros" ] && _remembr_prepend PATH "$line/lib/remembr_ros"
    done <<<"$prepared"
    _remembr_prepend PYTHONPATH "$_remembr_root"

    # Images larger than Fast DDS's default shared memory segment are lost without it; a user's own profile stays.
    export FASTRTPS_DEFAULT_PROFILES_FILE="${FASTRTPS_DEFAULT_PROFILES_FILE:-$_remembr_root/config/fastdds.xml}"
    if [ "${ROS_DISTRO:-}" = humble ]; then
        export ROS_LOCALHOST_ONLY="${ROS_LOCALHOST_ONLY:-1}"
    else
        export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"
    fi
    # A domain of its own for each run; one that an earlier run in this shell drew does not count as the user's.
    if [ -z "${ROS_DOMAIN_ID:-}" ] || [ "$ROS_DOMAIN_ID" = "${REMEMBR_DRAWN_DOMAIN_ID:-}" ]; then
        _remembr_draw_domain
        export REMEMBR_DRAWN_DOMAIN_ID="$ROS_DOMAIN_ID"
    fi
    export HF_HUB_OFFLINE="${HF_HUB_OFFLINE:-1}" TOKENIZERS_PARALLELISM="${TOKENIZERS_PARALLELISM:-false}"
}

_remembr_environment
